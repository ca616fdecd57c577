// Getting a resource: an idle one, a new one, or a turn in the queue.
#pragma once

#include <cstdint>

#include "worker.h"

namespace oxpool::php {

// Waits at most `timeout_ns` (0 = not at all, Acquire::kForever = without limit) and makes a
// resource when there is none idle. Null with an exception pending, or, when it does not wait,
// without one: every unit is taken. The holding is in use by the caller then. May run PHP code and
// jump.
Holding* take_slowly(PoolCore& core, int64_t timeout_ns);

// The same; the case of a warm idle resource costs no call.
inline Holding* take(PoolCore& core, int64_t timeout_ns) {
  WorkerPool& pool = *core.pool;
  if (EXPECTED(pool.budget != nullptr && pool.worker.usable() && !pool.worker.has_attention())) {
    if (LocalSlot* slot = pool.budget->reuse_idle(); EXPECTED(slot != nullptr)) {
      Holding& holding = holding_of(*slot);
      holding.state = HoldingState::kInUse;
      return &holding;
    }
  }
  return take_slowly(core, timeout_ns);
}

// Attaches worker and pool where that has not happened in this life, and closes what was flagged:
// what every call on a pool begins with. False with an exception pending.
bool begin_call(PoolCore& core);

}  // namespace oxpool::php
