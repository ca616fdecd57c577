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

#include "daemon/http/router.h"

namespace oxpool::daemon::http {

// Reads requests one after the other and answers each. Headers, bodies and times are bounded.
//
// Owned by its pending operations. Thread safety: none; the loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `router` must outlive the connection's operations; close() or finish() ends those that read.
  Connection(boost::asio::ip::tcp::socket socket, const Router& router);

  void start() { read(); }
  // At once.
  void close();
  // After the answer that is being sent, if one is.
  void finish();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void read();
  void on_read(const boost::system::error_code& error);
  void answer();
  void send(const Response& response, bool with_body, bool keep_alive);
  template <typename Message>
  void write(std::shared_ptr<Message> message);
  void end_politely();

  boost::beast::tcp_stream stream_;
  const Router& router_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool writing_ = false;
  bool last_ = false;  // no request is read after this answer
};

}  // namespace oxpool::daemon::http
