// Pausing a pool: whether new acquires are admitted at the moment.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/segment.h"
#include "shm/slot.h"

namespace oxpool::shm {

// seq_cst, as slot.h explains: a waiter counts itself and then looks at the gate, who opens it
// writes it and then looks for waiters.
inline GateWord load_gate(const PoolRecord& pool) {
  return GateWord{pool.gate.load(std::memory_order_seq_cst)};
}

// For the hot paths: one load of a line that nobody writes. False also for a gate whose time is
// over and that nobody has opened yet.
inline bool is_open(const PoolRecord& pool) {
  return pool.gate.load(std::memory_order_relaxed) == 0;
}

// Nobody waits, nothing is above the cap, and the gate is open: an acquire may take what is there
// and a release may keep what it has. seq_cst: who has just made a slot idle sees the gate that an
// operator shut before looking for idle slots, or the operator sees the slot.
inline bool is_calm(const PoolRecord& pool) {
  return load_pressure(pool).raw == 0 && load_gate(pool) == GateWord{};
}

// The gate at this moment, of the daemon's clock. One whose time is over is opened, and whoever
// waits is served. Any thread.
Gate settle_gate(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                 int64_t now_ns);

// Sets the gate whatever it was, and wakes who waits: they leave, or are served. An acquire that
// has looked already goes on: it came first. `until_ns`: of the daemon's clock, rounded up to a
// millisecond; 0 = until somebody opens it. Any thread.
void set_gate(const SegmentView& view, PoolRecord& pool, const LockContext& context, Gate gate,
              int64_t until_ns);

}  // namespace oxpool::shm
