#include "shm/gated.h"

#include "shm/slot.h"

namespace oxpool::shm {

void come_to_gate(LaneRecord& lane, const SegmentView& view, PoolRecord& pool) {
  lane.gated_at.store(view.index_of(pool) + 1, std::memory_order_relaxed);
  pool.gated.fetch_add(1, std::memory_order_seq_cst);
}

void leave_gate(LaneRecord& lane, PoolRecord& pool) {
  // Not below 0: it may have been recounted, or scribbled on.
  uint32_t now = pool.gated.load(std::memory_order_relaxed);
  while (now != 0 && !pool.gated.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
  }
  lane.gated_at.store(0, std::memory_order_relaxed);
}

uint32_t count_gated(const SegmentView& view, const PoolRecord& pool) {
  const uint32_t mark = view.index_of(pool) + 1;
  const uint32_t lanes = view.high_water(kLaneTable);
  uint32_t count = 0;
  for (uint32_t i = kDaemonLane + 1; i < lanes; ++i) {
    const LaneRecord& lane = *view.lane(i);
    if (lane.gated_at.load(std::memory_order_relaxed) == mark &&
        lane.incarnation.load(std::memory_order_relaxed) != 0) {
      ++count;
    }
  }
  return count;
}

void recount_gated(const SegmentView& view, PoolRecord& pool, uint64_t* seen) {
  uint32_t counted = pool.gated.load(std::memory_order_relaxed);
  const uint32_t marked = count_gated(view, pool);
  if (counted == marked) {
    *seen = 0;
    return;
  }
  // Somebody may just be between its two steps: only what stays as it is is wrong.
  const uint64_t difference = uint64_t{counted} << 32 | marked;
  if (*seen == difference) {
    pool.gated.compare_exchange_strong(counted, marked, std::memory_order_seq_cst);
    *seen = 0;
  } else {
    *seen = difference;
  }
}

bool has_free_unit(const SegmentView& view, const PoolRecord& pool) {
  if (load_pressure(pool).raw != 0) return false;
  const uint32_t chunks = view.chunk_count(pool);
  for (uint32_t position = 0; position < chunks; ++position) {
    const ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr) continue;
    for (uint32_t hints = chunk->free_hint.load(std::memory_order_seq_cst); hints != 0;
         hints &= hints - 1) {
      if (load_slot(chunk->slots[__builtin_ctz(hints)]).state() == SlotState::kFree) return true;
    }
  }
  return false;
}

}  // namespace oxpool::shm
