// The HTTP listener.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>

#include "daemon/http/router.h"
#include "daemon/http/traffic.h"
#include "daemon/listen_address.h"

namespace oxpool::daemon::http {

class Connection;

// Serves GET and HEAD to a bounded number of connections; when one more comes, the oldest that is
// not being answered is closed, so that many silent ones can not keep a health check out.
//
// Thread safety: none; the thread that runs the io_context.
class Server {
 public:
  // `router` must outlive the server.
  Server(boost::asio::io_context& io, const Router& router, uint32_t max_connections);
  ~Server();

  // Throws Refused when the address can not be had.
  void listen(const ListenAddress& address);
  void set_max_connections(uint32_t max_connections) { max_connections_ = max_connections; }
  // The port that is listened on, of use after port 0.
  uint16_t port() const;

  // Accepts nobody more and closes connections as soon as their answer, if one is being sent, is
  // out.
  void stop();
  // How many are still open.
  size_t connections() const;

 private:
  void accept();
  void accept_later();
  void begin(boost::asio::ip::tcp::socket socket);
  void make_room();

  uint32_t max_connections_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  const std::shared_ptr<Traffic> traffic_;
  std::list<std::weak_ptr<Connection>> connections_;  // oldest first
};

}  // namespace oxpool::daemon::http
