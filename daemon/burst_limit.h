// Keeps a crowd of workers that come, or die, at once from filling the log.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "daemon/event.h"

namespace oxpool::daemon {

// Of one event, lets the first 20 lines of a namespace through in any 10 s, and writes how many
// more there were once the 10 s are over. With log level debug every line is written.
//
// Thread safety: none; the thread that runs the io_context.
class BurstLimit {
 public:
  // `event` is what the sum is of: "workers attached", say. It stays the caller's.
  BurstLimit(boost::asio::io_context& io, const char* event) : event_(event), timer_(io) {}

  // The level at which the caller writes the next line: info, or debug when it was one too many.
  Level next(const std::string& namespace_name, int64_t now_ns);

  // Sums up what is over by then. Called by its own timer; public for tests, which bring their own
  // clock.
  void sum_up(int64_t now_ns);

 private:
  struct Window {
    int64_t since_ns = 0;
    uint32_t logged = 0;
    uint64_t held_back = 0;
  };
  void write_rest(const std::string& namespace_name, const Window& window) const;
  void arm_timer();

  const char* const event_;
  boost::asio::steady_timer timer_;
  bool armed_ = false;
  std::map<std::string, Window> windows_;  // one per namespace, which limits.namespaces bounds
};

}  // namespace oxpool::daemon
