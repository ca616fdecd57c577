// Flags slots that have been idle for longer than their pool allows, or have lived for long enough.
#pragma once

#include <cstdint>

#include "daemon/pool_agenda.h"
#include "shm/segment.h"

namespace oxpool::daemon {

// The idle scheduler of one segment. A flag asks the slot's owner to close the resource when it
// next runs; a slot whose owner never runs stays flagged, and stays counted. What is overdue is
// said in shm/aging.h; this decides when to look.
//
// Thread safety: none; the daemon's main thread.
class IdleScheduler {
 public:
  IdleScheduler();

  // One turn at `now_ns` of the daemon's monotonic clock. Returns how many slots were flagged.
  // Lock-free; safe on a segment that was scribbled on.
  uint32_t run(const shm::SegmentView& view, int64_t now_ns);

 private:
  PoolAgenda agenda_;
};

}  // namespace oxpool::daemon
