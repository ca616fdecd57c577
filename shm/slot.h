// Moving units of budget from state to state.
#pragma once

#include <cassert>
#include <cstdint>

#include "shm/segment.h"
#include "shm/slot_word.h"

namespace oxpool::shm {

// The memory order of every access to a slot word and to PoolRecord::pressure that decides
// something is seq_cst. Two parties meet over them: one frees a unit and then looks for waiters,
// the other counts itself as waiting and then looks for free units. Each writes one word and reads
// the other, so anything weaker could let both miss (store buffering); on x86 the locked
// instruction would do, on ARM it would not.
inline SlotWord load_slot(const SlotRecord& slot) {
  return SlotWord{slot.word.load(std::memory_order_seq_cst)};
}
inline PressureWord load_pressure(const PoolRecord& pool) {
  return PressureWord{pool.pressure.load(std::memory_order_seq_cst)};
}

// The one way in which a slot changes. False: the word was not `from` any more.
// Wait-free; any thread.
inline bool slot_move(SlotRecord& slot, SlotWord from, SlotWord to) {
  assert(slot_move_allowed(from, to));
  return slot.word.compare_exchange_strong(from.raw, to.raw, std::memory_order_seq_cst);
}

// Turns one FREE unit of the pool into `to` (GRANTED or RESERVED with an owner, or RETIRED) and
// returns it, its number within the pool in *index; nullptr when no unit is hinted to be free.
// Lock-free.
SlotRecord* take_free(const SegmentView& view, PoolRecord& pool, SlotWord to, uint32_t* index);

// Gives a unit back: `from` → FREE, then its hint. False: the caller had lost it (fenced).
// The caller looks at the pressure afterwards; settle_pressure (queue.h) does that.
bool free_slot(const SegmentView& view, PoolRecord& pool, uint32_t index, SlotWord from);

// Sets the hint of every FREE unit whose hint is missing (its freer or taker died between two
// steps). Returns how many there were. Work in proportion to the pool's slots.
uint32_t restore_hints(const SegmentView& view, PoolRecord& pool);

// Asks the owner of an idle slot to close it. False: it is not idle, or flagged already.
bool flag_idle(const SegmentView& view, SlotRecord& slot, CloseReason reason);

// Calls visit(index, slot) for every slot of the pool, retired ones too.
template <typename Visit>
void for_each_slot(const SegmentView& view, const PoolRecord& pool, Visit visit) {
  const uint32_t chunks = view.chunk_count(pool);
  for (uint32_t position = 0; position < chunks; ++position) {
    ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr) continue;
    for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
      visit(position * kSlotsPerChunk + i, chunk->slots[i]);
    }
  }
}

}  // namespace oxpool::shm
