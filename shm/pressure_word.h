// One word per pool that a release looks at: does anybody wait, is there more than the cap?
#pragma once

#include <cstdint>

namespace oxpool::shm {

// Layout of `raw`:
//
//   63                      32 31                      0
//   ┌─────────────────────────┬─────────────────────────┐
//   │ excess : 32             │ waiting : 32            │
//   └─────────────────────────┴─────────────────────────┘
//
// waiting  tickets linked in the pool's queue, cancelled ones included until they are unlinked
// excess   units that are still part of the budget although the cap was lowered below them
//
// Zero means that nobody needs anything: acquire and release take no lock. Written only under the
// pool's lock; both numbers are derivable (queue, slot words) and repair counts them anew.
struct PressureWord {
  uint64_t raw = 0;

  static constexpr PressureWord make(uint32_t waiting, uint32_t excess) {
    return PressureWord{(uint64_t{excess} << 32) | waiting};
  }
  constexpr uint32_t waiting() const { return static_cast<uint32_t>(raw); }
  constexpr uint32_t excess() const { return static_cast<uint32_t>(raw >> 32); }
};

}  // namespace oxpool::shm
