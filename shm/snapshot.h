// What a pool looks like at a moment, counted from the words themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shm/segment.h"

namespace oxpool::shm {

struct PoolCounts {
  uint32_t in_use = 0;
  uint32_t idle = 0;
  uint32_t flagged = 0;  // of the idle ones: their owner was asked to close them
  uint32_t minting = 0;  // granted or reserved: the factory runs or is about to
  uint32_t closing = 0;
  uint32_t waiting = 0;
  uint32_t max_size = 0;  // the cap in force

  uint32_t size() const { return in_use + idle; }
};

// Lock-free and read-only; each word is read once, so the numbers may be of slightly different
// instants. Safe on a segment that was scribbled on. Any thread.
PoolCounts count_pool(const SegmentView& view, const PoolRecord& pool);

// The pool's name, at most kNameBytes, any bytes.
std::string pool_name(const PoolRecord& pool);

struct CounterSums {
  uint64_t counters[kCounterCount] = {};  // acquire_ok: all that were served; releases: all
  uint64_t evicted[kCloseReasonCount] = {};
  uint64_t wait_buckets[kWaitBucketCount] = {};  // the first includes what was served at once
  uint64_t hold_buckets[kHoldBucketCount] = {};  // together: every release
  uint64_t factory_buckets[kFactoryBucketCount] = {};

  uint64_t operator[](Counter counter) const { return counters[static_cast<uint8_t>(counter)]; }
};

// Acquires that were served and releases.
inline uint64_t operations(const CounterSums& sums) {
  return sums[Counter::acquire_ok] + sums[Counter::releases];
}

// The counts of the seats that are gone.
CounterSums folded_counters(const PoolRecord& pool);

// Sums of every live pool, indexed by pool record, in one walk over the seats. Never goes down from
// one call to the next while the record lives. `result` has one entry per pool record.
void sum_counters(const SegmentView& view, std::vector<CounterSums>* result);

// The same of one pool, which is one of the segment's records.
CounterSums sum_counters(const SegmentView& view, const PoolRecord& pool);

}  // namespace oxpool::shm
