#include "daemon/http/connection.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <string_view>

#include "daemon/http/json.h"

namespace oxpool::daemon::http {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

namespace {

// From the end of the last answer to the end of the next request's header.
constexpr auto kReadTimeout = std::chrono::seconds(5);
// For the whole of an answer, which may be some megabytes.
constexpr auto kWriteTimeout = std::chrono::seconds(30);
constexpr uint32_t kHeaderBytes = 8192;  // with the request line
constexpr size_t kTargetBytes = 2048;

bool is_parse_error(const error_code& error) {
  return error.category() == make_error_code(bhttp::error::bad_version).category();
}

Response too_long_target() {
  return error_response(
      414, "the request's target has more than " + std::to_string(kTargetBytes) + " bytes");
}

// Path and query of a target; nothing when it is neither "/…" nor "http://HOST/…".
std::optional<Request> request_of(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (target.substr(0, kScheme.size()) == kScheme) {
    target.remove_prefix(kScheme.size());
    const size_t slash = target.find('/');
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (target.empty() || target.front() != '/') return {};
  const size_t mark = target.find('?');
  if (mark == std::string_view::npos) return Request{std::string(target), ""};
  return Request{std::string(target.substr(0, mark)), std::string(target.substr(mark + 1))};
}

}  // namespace

Connection::Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Traffic> traffic)
    : stream_(std::move(socket)), traffic_(std::move(traffic)), buffer_(kHeaderBytes) {}

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
  parser_->body_limit(boost::none);  // none is read, whatever its length
  stream_.expires_after(kReadTimeout);
  bhttp::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, size_t) { self->on_read(error); });
}

void Connection::on_read(const error_code& error) {
  if (last_) return close();  // the daemon stopped meanwhile
  if (!error) return answer();
  if (auto response = answer_to_unreadable(error)) return send(std::move(*response), true, false);
  close();
}

// The answer to a request that could not be read; nothing = there was none.
std::optional<Response> Connection::answer_to_unreadable(const error_code& error) const {
  if (error == bhttp::error::end_of_stream || error == bhttp::error::partial_message) return {};
  if (error == bhttp::error::header_limit || error == bhttp::error::buffer_overflow) {
    // The parser takes a request line out of the buffer once it is whole.
    const auto bytes = buffer_.data();
    const std::string_view unread(static_cast<const char*>(bytes.data()), bytes.size());
    const bool has_line =
        !parser_->get().target().empty() || unread.find('\n') != std::string_view::npos;
    if (!has_line) return too_long_target();
    return error_response(431,
                          "the header has more than " + std::to_string(kHeaderBytes) + " bytes");
  }
  if (!is_parse_error(error)) return {};
  return error_response(400, "this is no HTTP request: " + error.message());
}

void Connection::answer() {
  const auto& request = parser_->get();
  const bool is_head = request.method() == bhttp::verb::head;
  // What follows is the body of this request, not the next one.
  const bool keep_alive = request.keep_alive() && parser_->is_done();
  send(response_to(request), !is_head, keep_alive);
}

Response Connection::response_to(const bhttp::request<bhttp::empty_body>& request) {
  if (request.method() != bhttp::verb::get && request.method() != bhttp::verb::head) {
    return error_response(405, "only GET and HEAD are served here");
  }
  if (!parser_->is_done()) return error_response(413, "requests have no body here");
  const std::string_view target(request.target().data(), request.target().size());
  if (target.size() > kTargetBytes) return too_long_target();
  const auto asked = request_of(target);
  if (!asked) return error_response(400, "the request's target is no path");
  if (traffic_->router == nullptr) return error_response(503, "oxpoold is stopping");

  Response response = traffic_->router->handle(*asked);
  if (response.body.size() + traffic_->bytes_on_the_way > Traffic::kMostBytes) {
    return error_response(503, "too many answers are being sent to clients that do not read them");
  }
  return response;
}

void Connection::send(Response response, bool with_body, bool keep_alive) {
  const size_t bytes = response.body.size();
  const auto fill = [&](auto& message) {
    message.result(response.status);
    message.version(11);
    message.set(bhttp::field::content_type, response.content_type);
    message.set(bhttp::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    if (response.status == 405) message.set(bhttp::field::allow, "GET, HEAD");
    message.content_length(bytes);
    message.keep_alive(keep_alive);
  };
  last_ = last_ || !keep_alive;
  if (with_body) {
    auto message = std::make_shared<bhttp::response<bhttp::string_body>>();
    fill(*message);
    message->body() = std::move(response.body);
    write(std::move(message), bytes);
  } else {
    auto message = std::make_shared<bhttp::response<bhttp::empty_body>>();
    fill(*message);
    write(std::move(message), 0);
  }
}

template <typename Message>
void Connection::write(std::shared_ptr<Message> message, size_t bytes) {
  writing_ = true;
  traffic_->bytes_on_the_way += bytes;
  stream_.expires_after(kWriteTimeout);
  bhttp::async_write(stream_, *message,
                     [self = shared_from_this(), message, bytes](const error_code& error, size_t) {
                       self->traffic_->bytes_on_the_way -= bytes;
                       self->on_written(error);
                     });
}

void Connection::on_written(const error_code& error) {
  writing_ = false;
  if (error) return close();
  if (last_) return end_politely();
  read();
}

// The peer reads our end before it sees the connection go.
void Connection::end_politely() {
  error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  close();
}

}  // namespace oxpool::daemon::http
