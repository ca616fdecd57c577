#include "shm/rebalance.h"

#include <algorithm>

#include "shm/aging.h"
#include "shm/clock.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t raw(Rebalance rebalance) { return static_cast<uint32_t>(rebalance); }

constexpr int kTries = 4;

struct Asked {
  OwnerId except;
  int64_t idle_before_ns;
  int64_t now_ns;
  uint32_t limit;
  Owners owners;
};

struct Choice {
  SlotRecord* slot = nullptr;  // null: none, or as many as wanted are on their way
  OwnerId owner;
};

Choice needed_last(const SegmentView& view, const PoolRecord& pool, const Asked& asked) {
  Choice choice;
  int64_t last_ns = 0;
  uint32_t going = 0;
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    const bool flagged = word.state() == SlotState::kIdle && word.reason() != CloseReason::kNone;
    if (flagged || word.state() == SlotState::kClosing) ++going;
    if (flagged || word.state() != SlotState::kIdle || word.owner() == asked.except ||
        slot.changed_ns.load(std::memory_order_relaxed) >= asked.idle_before_ns ||
        (asked.owners == Owners::kAsleep && sleep_of(view, word.owner()) == LaneSleep::kAwake)) {
      return;
    }
    const int64_t needed_ns = needed_at_ns(slot, asked.now_ns);
    if (choice.slot != nullptr && needed_ns <= last_ns) return;
    last_ns = needed_ns;
    choice = {&slot, word.owner()};
  });
  return going < asked.limit ? choice : Choice{};
}

}  // namespace

bool is_strict(const SegmentView& view, const PoolRecord& pool) {
  uint32_t asked = pool.settings.rebalance.load(std::memory_order_relaxed);
  if (asked == raw(Rebalance::kAsConfigured)) {
    asked = view.header().default_rebalance.load(std::memory_order_relaxed);
  }
  return asked == raw(Rebalance::kStrict);
}

uint32_t patience_setting_ms(const SegmentView& view, const PoolRecord& pool) {
  const uint32_t asked_ms = pool.settings.patience_ms.load(std::memory_order_relaxed);
  return asked_ms != kPatienceAuto
             ? asked_ms
             : view.header().default_patience_ms.load(std::memory_order_relaxed);
}

int64_t needed_at_ns(const SlotRecord& slot, int64_t now_ns) {
  const int64_t since_ns = unchanged_since_ns(slot, now_ns);
  const int64_t gap_ns =
      std::clamp<int64_t>(slot.gap_ns.load(std::memory_order_relaxed), 0, kNoDeadline - now_ns);
  const int64_t idle_ns = now_ns - since_ns;
  if (idle_ns / 2 <= gap_ns) return since_ns + gap_ns;
  return now_ns + (idle_ns - gap_ns);
}

OwnerId flag_needed_last(const SegmentView& view, PoolRecord& pool, OwnerId except,
                         CloseReason reason, int64_t idle_before_ns, int64_t now_ns, uint32_t limit,
                         Owners owners) {
  const Asked asked{except, idle_before_ns, now_ns, limit, owners};
  // Of several who ask at once all find the same slot, and one gets it.
  for (int tries = 0; tries < kTries; ++tries) {
    const Choice choice = needed_last(view, pool, asked);
    if (choice.slot == nullptr) break;
    if (flag_idle(view, *choice.slot, reason)) return choice.owner;
  }
  return kNobody;
}

bool has_room_for_idle(const SegmentView& view, const PoolRecord& pool, uint32_t counted) {
  const uint32_t reserve = pool.reserve.load(std::memory_order_relaxed);
  if (reserve == 0) return true;
  const PoolCounts counts = count_pool(view, pool);
  return uint64_t{counts.idle} + reserve <
         uint64_t{counted} + pool.cap.load(std::memory_order_relaxed);
}

LaneSleep sleep_of(const SegmentView& view, OwnerId owner) {
  const LaneRecord* lane = view.lane(owner.lane());
  if (lane == nullptr || lane->incarnation.load(std::memory_order_acquire) != owner.incarnation()) {
    return LaneSleep::kAwake;
  }
  // seq_cst: who falls asleep writes this and then looks at its slots' words; who asks here has
  // flagged one of them before. One of the two sees the other.
  const uint32_t sleep = lane->sleep.load(std::memory_order_seq_cst);
  return sleep <= static_cast<uint32_t>(LaneSleep::kStream) ? static_cast<LaneSleep>(sleep)
                                                            : LaneSleep::kAwake;
}

}  // namespace oxpool::shm
