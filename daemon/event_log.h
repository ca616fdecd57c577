// The last events, for those who look from outside.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/event.h"

namespace oxpool::daemon {

struct LoggedEvent {
  uint64_t number = 0;  // grows by one with each event of this run of the daemon, from 1
  int64_t unix_ms = 0;
  Level level = Level::kInfo;
  std::string name;
  Fields fields;
};

// Keeps the last kCapacity events.
//
// Thread safety: any thread.
class EventLog {
 public:
  static constexpr size_t kCapacity = 200;

  void add(Level level, std::string_view name, Fields fields);
  // Those with a higher number than `number` that are still kept, oldest first.
  std::vector<LoggedEvent> since(uint64_t number) const;
  // The number of the last one; 0 = none yet.
  uint64_t last() const;

 private:
  mutable std::mutex lock_;
  std::deque<LoggedEvent> events_;
  uint64_t last_ = 0;
};

// Those of this program.
EventLog& recent_events();

}  // namespace oxpool::daemon
