#include "shm/snapshot.h"

#include <algorithm>

#include "shm/slot.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);
constexpr uint32_t kRemoving = static_cast<uint32_t>(RecordState::kRemoving);

void add(const CounterBlock& block, CounterSums* sums) {
  for (int i = 0; i < kCounterCount; ++i) {
    sums->counters[i] += block.counters[i].load(std::memory_order_relaxed);
  }
  for (int i = 0; i < kCloseReasonCount; ++i) {
    sums->evicted[i] += block.evicted[i].load(std::memory_order_relaxed);
  }
  for (int i = 0; i < kWaitBucketCount; ++i) {
    sums->wait_buckets[i] += block.wait_buckets[i].load(std::memory_order_relaxed);
  }
}

void add_served_at_once(CounterSums* sums) {
  uint64_t& ok = sums->counters[static_cast<uint8_t>(Counter::acquire_ok)];
  sums->wait_buckets[0] += ok;
  ok += (*sums)[Counter::acquire_ok_waited];
}

// One walk. False when a seat was folded meanwhile, so that some counts may be missed or doubled.
bool try_sum(const SegmentView& view, std::vector<CounterSums>* result) {
  const uint32_t pools = view.high_water(kPoolTable);
  result->assign(pools, CounterSums{});
  std::vector<uint64_t> folds(pools);
  for (uint32_t i = 0; i < pools; ++i) {
    const PoolRecord& pool = *view.pool(i);
    folds[i] = pool.fold.load(std::memory_order_acquire);
    if (pool.state.load(std::memory_order_acquire) == kLive) {
      add(pool.folded[folds[i] & 1], &(*result)[i]);
    }
  }
  const uint32_t seats = view.high_water(kSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    const SeatRecord& seat = *view.seat(i);
    const uint32_t state = seat.state.load(std::memory_order_acquire);
    if (state != kLive && state != kRemoving) continue;
    const uint32_t pool = seat.pool.load(std::memory_order_relaxed);
    if (pool >= pools || seat.serial.load(std::memory_order_relaxed) == folds[pool] >> 1) continue;
    if (view.pool(pool)->id.load(std::memory_order_relaxed) !=
        seat.pool_id.load(std::memory_order_relaxed)) {
      continue;
    }
    add(seat.counts, &(*result)[pool]);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t i = 0; i < pools; ++i) {
    if (view.pool(i)->fold.load(std::memory_order_relaxed) != folds[i]) return false;
  }
  return true;
}

}  // namespace

PoolCounts count_pool(const SegmentView& view, const PoolRecord& pool) {
  PoolCounts counts;
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    switch (load_slot(slot).state()) {
      case SlotState::kGranted:
      case SlotState::kReserved:
        ++counts.minting;
        break;
      case SlotState::kInUse:
        ++counts.in_use;
        break;
      case SlotState::kIdle:
        ++counts.idle;
        break;
      case SlotState::kClosing:
        ++counts.closing;
        break;
      case SlotState::kRetired:
      case SlotState::kFree:
        break;
    }
  });
  counts.waiting = load_pressure(pool).waiting();
  counts.max_size = pool.cap.load(std::memory_order_relaxed);
  return counts;
}

std::string pool_name(const PoolRecord& pool) {
  return std::string(pool.name,
                     std::min(pool.name_bytes.load(std::memory_order_relaxed), kNameBytes));
}

void sum_counters(const SegmentView& view, std::vector<CounterSums>* result) {
  constexpr int kTries =
      8;  // seats come and go rarely; a torn sum after that is one scrape's noise
  for (int i = 0; i < kTries && !try_sum(view, result); ++i) {
  }
  for (CounterSums& sums : *result) add_served_at_once(&sums);
}

}  // namespace oxpool::shm
