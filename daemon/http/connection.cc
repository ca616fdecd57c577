#include "daemon/http/connection.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>

#include "daemon/http/json.h"

namespace oxpool::daemon::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr auto kStepTimeout = std::chrono::seconds(5);
constexpr uint32_t kHeaderBytes = 8192;
constexpr uint64_t kBodyBytes = 1024;  // no request here needs one

bool is_parse_error(const error_code& error) {
  return error.category() == make_error_code(bhttp::error::bad_version).category();
}

// The answer to a request that could not be read; nothing = there was none.
std::optional<Response> answer_to_unreadable(const error_code& error) {
  if (error == bhttp::error::end_of_stream || error == bhttp::error::partial_message) return {};
  if (error == bhttp::error::header_limit) {
    return error_response(431,
                          "the header has more than " + std::to_string(kHeaderBytes) + " bytes");
  }
  if (error == bhttp::error::body_limit) {
    return error_response(413, "the body has more than " + std::to_string(kBodyBytes) + " bytes");
  }
  if (!is_parse_error(error)) return {};
  return error_response(400, "this is no HTTP request: " + error.message());
}

Request request_of(beast::string_view target) {
  const std::string text(target);
  const size_t mark = text.find('?');
  if (mark == std::string::npos) return {text, ""};
  return {text.substr(0, mark), text.substr(mark + 1)};
}

}  // namespace

Connection::Connection(boost::asio::ip::tcp::socket socket, const Router& router)
    : stream_(std::move(socket)), router_(router), buffer_(kHeaderBytes + kBodyBytes) {}

void Connection::close() {
  error_code ignored;
  stream_.socket().close(ignored);
}

void Connection::finish() {
  last_ = true;
  if (!writing_) close();
}

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(kHeaderBytes);
  parser_->body_limit(kBodyBytes);
  stream_.expires_after(kStepTimeout);
  bhttp::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, size_t) { self->on_read(error); });
}

void Connection::on_read(const error_code& error) {
  if (last_) return close();  // the daemon stopped meanwhile
  if (!error) return answer();
  if (const auto response = answer_to_unreadable(error)) return send(*response, true, false);
  close();
}

void Connection::answer() {
  const auto& request = parser_->get();
  const bool is_head = request.method() == bhttp::verb::head;
  const bool keep_alive = request.keep_alive();
  if (!is_head && request.method() != bhttp::verb::get) {
    return send(error_response(405, "only GET and HEAD are served here"), true, keep_alive);
  }
  if (request.target().empty() || request.target().front() != '/') {
    return send(error_response(400, "the request's target is no path"), !is_head, keep_alive);
  }
  send(router_.handle(request_of(request.target())), !is_head, keep_alive);
}

void Connection::send(const Response& response, bool with_body, bool keep_alive) {
  const auto fill = [&](auto& message) {
    message.result(response.status);
    message.version(11);
    message.set(bhttp::field::content_type, response.content_type);
    message.set(bhttp::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    if (response.status == 405) message.set(bhttp::field::allow, "GET, HEAD");
    message.content_length(response.body.size());
    message.keep_alive(keep_alive);
  };
  last_ = last_ || !keep_alive;
  if (with_body) {
    auto message = std::make_shared<bhttp::response<bhttp::string_body>>();
    fill(*message);
    message->body() = response.body;
    write(std::move(message));
  } else {
    auto message = std::make_shared<bhttp::response<bhttp::empty_body>>();
    fill(*message);
    write(std::move(message));
  }
}

template <typename Message>
void Connection::write(std::shared_ptr<Message> message) {
  writing_ = true;
  stream_.expires_after(kStepTimeout);
  bhttp::async_write(stream_, *message,
                     [self = shared_from_this(), message](const error_code& error, size_t) {
                       self->writing_ = false;
                       if (error) return self->close();
                       if (self->last_) return self->end_politely();
                       self->read();
                     });
}

// The peer reads our end before it sees the connection go.
void Connection::end_politely() {
  error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  close();
}

}  // namespace oxpool::daemon::http
