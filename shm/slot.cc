#include "shm/slot.h"

#include <bit>

#include "shm/gated.h"

namespace oxpool::shm {

namespace {

// seq_cst: the hint is what a waiter scans after counting itself, see slot.h.
bool claim_hint(ChunkRecord& chunk, uint32_t bit) {
  return (chunk.free_hint.fetch_and(~(1u << bit), std::memory_order_seq_cst) >> bit & 1u) != 0;
}
void set_hint(ChunkRecord& chunk, uint32_t bit) {
  chunk.free_hint.fetch_or(1u << bit, std::memory_order_seq_cst);
}

}  // namespace

SlotRecord* take_free(const SegmentView& view, PoolRecord& pool, SlotWord to, uint32_t* index) {
  const uint32_t chunks = view.chunk_count(pool);
  for (uint32_t position = 0; position < chunks; ++position) {
    ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr) continue;
    // Each turn clears a bit of the local copy: at most 32 turns.
    uint32_t hints = chunk->free_hint.load(std::memory_order_seq_cst);
    while (hints != 0) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(hints));
      hints &= hints - 1;
      if (!claim_hint(*chunk, bit)) continue;
      SlotRecord& slot = chunk->slots[bit];
      if (slot_move(slot, SlotWord::free(), to)) {
        *index = position * kSlotsPerChunk + bit;
        return &slot;
      }
    }
  }
  return nullptr;
}

bool free_slot(const SegmentView& view, PoolRecord& pool, uint32_t index, SlotWord from) {
  ChunkRecord* chunk = view.chunk_of(pool, index / kSlotsPerChunk);
  if (chunk == nullptr) return false;
  if (!slot_move(chunk->slots[index % kSlotsPerChunk], from, SlotWord::free())) return false;
  set_hint(*chunk, index % kSlotsPerChunk);
  wake_gated(pool, 1);
  return true;
}

uint32_t restore_hints(const SegmentView& view, PoolRecord& pool) {
  uint32_t restored = 0;
  const uint32_t chunks = view.chunk_count(pool);
  for (uint32_t position = 0; position < chunks; ++position) {
    ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr) continue;
    for (uint32_t bit = 0; bit < kSlotsPerChunk; ++bit) {
      if (load_slot(chunk->slots[bit]) != SlotWord::free()) continue;
      const uint32_t before = chunk->free_hint.fetch_or(1u << bit, std::memory_order_seq_cst);
      if ((before >> bit & 1u) == 0) ++restored;
    }
  }
  return restored;
}

bool flag_idle(const SegmentView& view, SlotRecord& slot, CloseReason reason) {
  const SlotWord seen = load_slot(slot);
  if (seen.state() != SlotState::kIdle || seen.reason() != CloseReason::kNone) return false;
  if (!slot_move(slot, seen, SlotWord::make(SlotState::kIdle, seen.owner(), reason))) return false;
  if (LaneRecord* lane = view.lane(seen.owner().lane())) {
    lane->attention.store(1, std::memory_order_release);
  }
  return true;
}

}  // namespace oxpool::shm
