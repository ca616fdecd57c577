// The HTTP listener.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>

#include "daemon/http/router.h"
#include "daemon/listen_address.h"

namespace oxpool::daemon::http {

class Connection;

// Serves GET and HEAD of small answers to a bounded number of connections; when one more comes, the
// oldest is closed, so that many silent ones can not keep a health check out.
//
// Thread safety: none; the thread that runs the io_context.
class Server {
 public:
  // `router` and `max_connections` must outlive the server; the latter may change in place.
  Server(boost::asio::io_context& io, const Router& router, const uint32_t& max_connections);
  ~Server();

  // Throws Refused when the address can not be had.
  void listen(const ListenAddress& address);
  // The port that is listened on, of use after port 0.
  uint16_t port() const;

  // Accepts nobody more and closes connections as soon as their answer, if one is being sent, is
  // out.
  void stop();
  // How many are still open.
  size_t connections() const;

  // For connections.
  const Router& router() const { return router_; }

 private:
  void accept();
  void accept_later();
  void begin(boost::asio::ip::tcp::socket socket);

  boost::asio::io_context& io_;
  const Router& router_;
  const uint32_t& max_connections_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::list<std::weak_ptr<Connection>> connections_;  // oldest first
};

}  // namespace oxpool::daemon::http
