// Reports resources that are in use for longer than their pool expects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "daemon/namespace_segment.h"
#include "daemon/pool_agenda.h"
#include "daemon/repeat_limit.h"
#include "shm/slot.h"

namespace oxpool::daemon {

// The leak watch of one segment: pools with a leak_after_ms. A holding is reported once, with who
// holds the slot and which line of code acquired it, and once more when it came back after all.
// Nothing is done about it: the slot stays its owner's.
//
// Of one line of code a few reports a minute are written (repeat_limit.h).
//
// Thread safety: none; the daemon's main thread.
class LeakWatch {
 public:
  LeakWatch();

  // One turn at `now_ns` of the daemon's monotonic clock. Lock-free; safe on a segment that was
  // scribbled on. Returns how many holdings are reported and still out.
  size_t run(const NamespaceSegment& segment, int64_t now_ns);

 private:
  using Place = std::pair<uint32_t, uint32_t>;  // pool record, slot
  struct Holding {
    uint64_t pool_id;
    shm::SlotWord word;
    int64_t since_ns;
    bool logged;
    std::string worker;  // as reported: it may be gone when the slot comes back
  };

  int64_t examine(const NamespaceSegment& segment, shm::PoolRecord& pool, int64_t now_ns);
  void report(const NamespaceSegment& segment, shm::PoolRecord& pool, uint32_t number,
              const shm::SlotRecord& slot, Holding* holding, int64_t now_ns);
  void forget_returned(const NamespaceSegment& segment, const shm::PoolRecord& pool,
                       int64_t now_ns);

  PoolAgenda agenda_;
  std::map<Place, Holding> out_;  // reported, not back yet
  RepeatLimit limit_;
};

}  // namespace oxpool::daemon
