// One HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "daemon/http/message.h"
#include "daemon/http/traffic.h"

namespace oxpool::daemon::http {

// Reads requests one after the other and answers each. Headers and times are bounded, bodies are
// refused unread.
//
// Owned by its pending operations. Thread safety: none; the thread that runs the io_context.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Traffic> traffic);

  void start() { read(); }
  // At once.
  void close();
  // After the answer that is being sent, if one is.
  void finish();
  // Whether an answer is being sent.
  bool busy() const { return writing_; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

  void read();
  void on_read(const boost::system::error_code& error);
  void answer();
  std::optional<Response> answer_to_unreadable(const boost::system::error_code& error) const;
  Response response_to(const boost::beast::http::request<boost::beast::http::empty_body>& request);
  void send(Response response, bool with_body, bool keep_alive);
  template <typename Message>
  void write(std::shared_ptr<Message> message, size_t bytes);
  void on_written(const boost::system::error_code& error);
  void end_politely();

  boost::beast::tcp_stream stream_;
  const std::shared_ptr<Traffic> traffic_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool writing_ = false;
  bool last_ = false;  // no request is read after this answer
};

}  // namespace oxpool::daemon::http
