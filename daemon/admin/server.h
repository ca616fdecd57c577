// The gRPC server of the admin interface.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/admin/facts.h"
#include "daemon/config.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon::admin {

// Serves admin.proto, health and reflection on threads of gRPC's own; what changes something is
// posted to the io_context.
//
// Thread safety: the thread that runs the io_context.
class Server {
 public:
  // `segments` must outlive the server; `facts` is asked on the io_context.
  Server(boost::asio::io_context& io, SegmentStore& segments, std::function<Facts()> facts);
  ~Server();

  // Throws Refused when it can not be served there, or may not. `socket` is where an address
  // without a path is.
  void listen(const Config& config, const std::string& socket);

  // "unix:PATH", "ADDR:PORT" or "off".
  std::string address() const;
  // Whether the socket's path still leads here; true for TCP and off.
  bool reachable() const;

  // What the health service says.
  void set_ready(bool ready);

  // Accepts nothing more and ends calls that wait and streams. Those that are left at the deadline
  // (CLOCK_MONOTONIC) are cancelled. Calls `done`, on any thread, once nothing is left.
  void stop(int64_t deadline_ns, std::function<void()> done);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oxpool::daemon::admin
