// Keeps a few units of a crowded pool free, so that a worker without one does not have to wait for
// another worker's idle one to be closed.
#pragma once

#include <cstdint>
#include <vector>

#include "shm/segment.h"

namespace oxpool::daemon {

// The reserve of each pool of one segment, by what was seen in windows of 100 ms:
//
//   waits began although another worker, who could not be reached, had an idle slot, and the last
//   rise has taken effect                                        → more, by up to 4
//   two units or more were free for 20 windows in a row          → one less
//
// It is 0 where nothing is to be moved: as many slots as workers, strict pools, and pools with an
// accept gate, whose workers without a slot take no request. It is at least 1 when there are more
// workers than units, but for persistent pools: their sleeping owners are reached within
// milliseconds, so a unit kept free would cost each of its users a connect and save little (in the
// simulation behind this, 0.73 against 0.62 connects a request at 20 requests/s, 0.78 against 0.68
// at 400).
//
// Idle slots above cap − reserve are flagged while nobody waits, those first whose owners need them
// last.
//
// Thread safety: none; the daemon's main thread.
class Rebalancer {
 public:
  static constexpr int64_t kWindowNs = 100'000'000;
  static constexpr uint32_t kMostARise = 4;
  static constexpr uint32_t kCalmWindows = 20;

  // One turn at `now_ns` of the daemon's monotonic clock; does nothing before a window is over.
  // Returns how many slots were flagged. Lock-free; safe on a segment that was scribbled on.
  uint32_t run(const shm::SegmentView& view, int64_t now_ns);

 private:
  struct Known {
    uint64_t id = 0;  // whose the rest is; 0 = nobody's
    uint64_t starved = 0;
    uint32_t calm_windows = 0;
  };

  uint32_t look(const shm::SegmentView& view, shm::PoolRecord& pool, Known* known, int64_t now_ns);

  int64_t next_ns_ = 0;
  std::vector<Known> known_;  // by pool record
};

}  // namespace oxpool::daemon
