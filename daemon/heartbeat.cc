#include "daemon/heartbeat.h"

#include <algorithm>
#include <utility>

namespace oxpool::daemon {

void Heartbeat::beat(State state, int64_t now_ns) {
  const std::lock_guard<std::mutex> lock(lock_);
  last_late_ns_ = beyond_interval_ns(now_ns);
  last_ns_ = now_ns;
  constexpr int64_t kMinuteNs = 60'000'000'000;
  if (now_ns - minute_began_ns_ >= kMinuteNs) {
    minute_began_ns_ = now_ns;
    worst_of_minute_before_ns_ = std::exchange(worst_of_minute_ns_, 0);
  }
  worst_of_minute_ns_ = std::max(worst_of_minute_ns_, last_late_ns_);
  state_ = std::move(state);
}

Heartbeat::State Heartbeat::state() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return state_;
}

int64_t Heartbeat::overdue_ns(int64_t now_ns) const {
  const std::lock_guard<std::mutex> lock(lock_);
  return beyond_interval_ns(now_ns);
}

int64_t Heartbeat::late_ns(int64_t now_ns) const {
  const std::lock_guard<std::mutex> lock(lock_);
  return std::max(last_late_ns_, beyond_interval_ns(now_ns));
}

int64_t Heartbeat::worst_ns() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return std::max(worst_of_minute_ns_, worst_of_minute_before_ns_);
}

int64_t Heartbeat::beyond_interval_ns(int64_t now_ns) const {
  return std::max<int64_t>(now_ns - last_ns_ - interval_ns_, 0);
}

}  // namespace oxpool::daemon
