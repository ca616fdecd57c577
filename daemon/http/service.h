// The HTTP listener on a thread of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <thread>

#include "daemon/http/router.h"
#include "daemon/http/server.h"
#include "daemon/listen_address.h"

namespace oxpool::daemon::http {

// Handlers run on that thread; whatever they read is safe to be read there.
//
// Thread safety: the thread that made it, which calls everything in this order.
class Service {
 public:
  // `router` must outlive the service.
  Service(const Router& router, uint32_t max_connections);
  ~Service();

  // Throws Refused when the address can not be had.
  void listen(const ListenAddress& address);
  uint16_t port() const { return server_.port(); }
  // Signals are blocked already, or they would arrive there.
  void start();

  void set_max_connections(uint32_t max_connections);

  // Accepts nobody more. Calls `done`, on any thread, once the answers that are being sent are out
  // or `deadline_ns` has passed.
  void stop(int64_t deadline_ns, std::function<void()> done);

 private:
  void run();
  void wait_for_answers(int64_t deadline_ns, const std::function<void()>& done);

  boost::asio::io_context io_;
  Server server_;
  boost::asio::steady_timer timer_;
  std::thread thread_;
};

}  // namespace oxpool::daemon::http
