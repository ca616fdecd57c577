// What other threads know of the main loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace oxpool::daemon {

// The main loop beats at a fixed interval and leaves here what only it can look at.
//
// Thread safety: beat() for the main thread, the rest for any.
class Heartbeat {
 public:
  struct State {
    size_t sessions = 0;
    uint64_t wakes = 0;                 // bytes that were sent to sleeping workers
    std::vector<std::string> troubles;  // one sentence for each reason not to be ready
  };

  Heartbeat(int64_t interval_ns, int64_t now_ns) : interval_ns_(interval_ns), last_ns_(now_ns) {}

  void beat(State state, int64_t now_ns);

  State state() const;
  // For how long the loop has been due and has not run; 0 = it is in time.
  int64_t overdue_ns(int64_t now_ns) const;
  // The same, or how late its last turn was if that is more.
  int64_t late_ns(int64_t now_ns) const;
  // How late the worst turn of the last minute or two was.
  int64_t worst_ns() const;

 private:
  int64_t beyond_interval_ns(int64_t now_ns) const;

  const int64_t interval_ns_;
  mutable std::mutex lock_;
  State state_;
  int64_t last_ns_;
  int64_t last_late_ns_ = 0;
  int64_t minute_began_ns_ = 0;
  int64_t worst_of_minute_ns_ = 0;
  int64_t worst_of_minute_before_ns_ = 0;
};

}  // namespace oxpool::daemon
