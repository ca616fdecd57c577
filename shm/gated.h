// Processes that wait at a pool's accept gate: how many there are, and how they are woken.
#pragma once

#include <climits>
#include <cstdint>

#include "shm/futex.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Who frees a unit calls it afterwards; costs a load while nobody is at the gate.
//
// seq_cst on both sides: the freer writes a slot's word (and its hint) and then reads `gated`; who
// comes to the gate writes `gated`, reads `gate_turn`, and then looks for a free unit. Anything
// weaker could let both miss (store buffering). Who read the turn before it moved does not sleep.
inline void wake_gated(PoolRecord& pool, int count) {
  if (pool.gated.load(std::memory_order_seq_cst) == 0) return;
  pool.gate_turn.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(pool.gate_turn, count);
}

// Marks the lane as waiting at the pool's gate, and counts it; and the other way round.
//
// Either may die between its two steps, and a dead lane leaves by neither: the mark is what counts,
// and recount_gated() brings the number in line with the marks of those who live.
void come_to_gate(LaneRecord& lane, const SegmentView& view, PoolRecord& pool);
void leave_gate(LaneRecord& lane, PoolRecord& pool);

// So many living lanes are marked as waiting there. One walk over the lanes.
uint32_t count_gated(const SegmentView& view, const PoolRecord& pool);

// For the daemon, at every look: brings the count in line with the marks, if it was out of line in
// the same way at the last look. `seen` is what the caller keeps from look to look, 0 at first.
void recount_gated(const SegmentView& view, PoolRecord& pool, uint64_t* seen);

// Whether a unit is free at the moment that nobody waits for.
bool has_free_unit(const SegmentView& view, const PoolRecord& pool);

}  // namespace oxpool::shm
