// Signals as events of the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

namespace oxpool::daemon {

// Blocks the signals that Signals reads, and ignores SIGPIPE. Called before any thread starts, so
// that all threads inherit it.
void block_signals();

// Reads SIGTERM, SIGINT and SIGHUP from a descriptor. Thread safety: none; the loop's thread.
class Signals {
 public:
  // Throws Refused when the kernel gives no descriptor.
  explicit Signals(boost::asio::io_context& io);

  // Calls `handle(signal number)` for each signal, until stop().
  void listen(std::function<void(int)> handle);
  void stop();

 private:
  void wait();

  boost::asio::posix::stream_descriptor descriptor_;
  std::function<void(int)> handle_;
};

}  // namespace oxpool::daemon
