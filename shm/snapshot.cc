#include "shm/snapshot.h"

#include <algorithm>
#include <numeric>

#include "shm/slot.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);
constexpr uint32_t kRemoving = static_cast<uint32_t>(RecordState::kRemoving);

void add(const CounterBlock& block, CounterSums* sums) {
  zip_counters(
      [](const Word64& counted, uint64_t& sum) { sum += counted.load(std::memory_order_relaxed); },
      block, *sums);
}

// What the hot paths count once is part of two sums (layout.h).
void add_what_was_short(CounterSums* sums) {
  uint64_t& ok = sums->counters[static_cast<uint8_t>(Counter::acquire_ok)];
  sums->wait_buckets[0] += ok;
  ok += (*sums)[Counter::acquire_ok_waited];

  uint64_t& releases = sums->counters[static_cast<uint8_t>(Counter::releases)];
  const uint64_t* buckets = sums->hold_buckets;
  const uint64_t longer = std::accumulate(buckets, buckets + kHoldBucketCount, uint64_t{0});
  sums->hold_buckets[0] += releases;
  releases += longer;
}

// Pool records, from one on.
struct Range {
  uint32_t first;
  uint32_t count;
};

// One walk. False when a seat was folded meanwhile, so that some counts may be missed or doubled.
bool try_sum(const SegmentView& view, Range pools, CounterSums* result) {
  std::fill_n(result, pools.count, CounterSums{});
  std::vector<uint64_t> folds(pools.count);
  for (uint32_t i = 0; i < pools.count; ++i) {
    const PoolRecord& pool = *view.pool(pools.first + i);
    folds[i] = pool.fold.load(std::memory_order_acquire);
    if (pool.state.load(std::memory_order_acquire) == kLive) {
      add(pool.folded[folds[i] & 1], &result[i]);
    }
  }
  const uint32_t seats = view.high_water(kSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    const SeatRecord& seat = *view.seat(i);
    const uint32_t state = seat.state.load(std::memory_order_acquire);
    if (state != kLive && state != kRemoving) continue;
    // Unsigned: one before the first is far beyond the last.
    const uint32_t pool = seat.pool.load(std::memory_order_relaxed) - pools.first;
    if (pool >= pools.count || seat.serial.load(std::memory_order_relaxed) == folds[pool] >> 1) {
      continue;
    }
    if (view.pool(pools.first + pool)->id.load(std::memory_order_relaxed) !=
        seat.pool_id.load(std::memory_order_relaxed)) {
      continue;
    }
    add(seat.counts, &result[pool]);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t i = 0; i < pools.count; ++i) {
    if (view.pool(pools.first + i)->fold.load(std::memory_order_relaxed) != folds[i]) return false;
  }
  return true;
}

void sum(const SegmentView& view, Range pools, CounterSums* result) {
  constexpr int kTries =
      8;  // seats come and go rarely; a torn sum after that is one scrape's noise
  for (int i = 0; i < kTries && !try_sum(view, pools, result); ++i) {
  }
  for (uint32_t i = 0; i < pools.count; ++i) add_what_was_short(&result[i]);
}

}  // namespace

PoolCounts count_pool(const SegmentView& view, const PoolRecord& pool) {
  PoolCounts counts;
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    switch (word.state()) {
      case SlotState::kGranted:
      case SlotState::kReserved:
        ++counts.minting;
        break;
      case SlotState::kInUse:
        ++counts.in_use;
        break;
      case SlotState::kIdle:
        ++counts.idle;
        if (word.reason() != CloseReason::kNone) ++counts.flagged;
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

CounterSums folded_counters(const PoolRecord& pool) {
  CounterSums sums;
  add(pool.folded[pool.fold.load(std::memory_order_acquire) & 1], &sums);
  add_what_was_short(&sums);
  return sums;
}

void sum_counters(const SegmentView& view, std::vector<CounterSums>* result) {
  const uint32_t pools = view.high_water(kPoolTable);
  result->resize(pools);
  sum(view, {0, pools}, result->data());
}

CounterSums sum_counters(const SegmentView& view, const PoolRecord& pool) {
  CounterSums result;
  sum(view, {view.index_of(pool), 1}, &result);
  return result;
}

}  // namespace oxpool::shm
