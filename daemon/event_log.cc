#include "daemon/event_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace oxpool::daemon {

void EventLog::add(Level level, std::string_view name, Fields fields) {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
  const int64_t unix_ms =
      duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  const std::lock_guard<std::mutex> lock(lock_);
  events_.push_back({++last_, unix_ms, level, std::string(name), std::move(fields)});
  if (events_.size() > kCapacity) events_.pop_front();
}

std::vector<LoggedEvent> EventLog::since(uint64_t number) const {
  const std::lock_guard<std::mutex> lock(lock_);
  const auto first = std::find_if(events_.begin(), events_.end(),
                                  [&](const LoggedEvent& event) { return event.number > number; });
  return {first, events_.end()};
}

uint64_t EventLog::last() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return last_;
}

EventLog& recent_events() {
  static EventLog events;
  return events;
}

}  // namespace oxpool::daemon
