// Which pools exist: finding, making, configuring and removing their records.
#pragma once

#include <cstdint>
#include <string_view>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// What a worker asks of a pool when it attaches.
struct PoolRequest {
  uint32_t max_size = 32;
  int64_t idle_timeout_ms = 300'000;  // 0 = never
  uint32_t patience_ms = kPatienceAuto;
  uint32_t close_wait_ms = 100;
  Rebalance rebalance = Rebalance::kAsConfigured;
  uint32_t min_idle = 0;
  uint32_t max_waiting = kNoLimit;
  int64_t max_lifetime_ms = 0;  // 0 = for ever
  int64_t leak_after_ms = 0;    // 0 = never
  bool given_name = false;      // not one that a place in the code gave
  bool persistent = false;      // idle slots outlive requests
  bool accept_gate = false;

  friend bool operator==(const PoolRequest&, const PoolRequest&) = default;
};

enum class PoolResult {
  kOk,
  kNoPool,     // the pool table is full and no unattached record can be reused
  kNoChunk,    // no room for so many slots
  kTooLarge,   // max_size above kMaxSlotsPerPool, or a name above kNameBytes
  kNoSeat,     // the seat table is full
  kWrongType,  // the name is a mutex's
  kTimeout,    // a lock could not be had in time: somebody is stopped inside
};

// Whether the record is a pool that can be found and used. Acquire: what it was filled with is
// seen.
inline bool is_live(const PoolRecord& pool) {
  return pool.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RecordState::kLive);
}

// Calls visit(PoolRecord&) for every live pool, in the order of their records. Lock-free.
template <typename Visit>
void for_each_live_pool(const SegmentView& view, Visit visit) {
  const uint32_t pools = view.high_water(kPoolTable);
  for (uint32_t i = 0; i < pools; ++i) {
    if (is_live(*view.pool(i))) visit(*view.pool(i));
  }
}

// The live pool of that id; nullptr when there is none. Lock-free.
PoolRecord* find_live_pool(const SegmentView& view, uint64_t id);

// Sets every counter of the block to 0.
void clear_counts(CounterBlock& block);

// Index of the live pool of that name (any bytes, ≤ kNameBytes), or kNoIndex.
uint32_t find_pool(const TableLock& lock, std::string_view name);

// Finds the pool or makes it with the requested settings; its slots exist then, all FREE in a new
// one.
PoolResult find_or_make_pool(const TableLock& lock, std::string_view name,
                             const PoolRequest& request, int64_t now_ns, uint32_t* index);

// Makes sure that the pool has room for `max_size` slots. kNoChunk: nothing was changed.
PoolResult reserve_slots(const TableLock& lock, PoolRecord& pool, uint32_t max_size);

// Stores what a worker asks for if its process started later than the one that asked last.
// A given name is noted in any case. *disagreed: it asked for another max_size or idle timeout than
// is stored. The new cap comes into force under the pool's lock (settle_cap).
void request_settings(PoolRecord& pool, const PoolRequest& request, uint64_t started_serial,
                      int64_t now_ns, bool* disagreed);

// Removes an unattached pool that has no given name and was never used: nobody would miss its id or
// its counts.
void remove_if_unused(const TableLock& lock, PoolRecord& pool);

// Removes an unattached pool: its chunks go back, its record is free. False: somebody is attached.
bool remove_pool(const TableLock& lock, PoolRecord& pool);

// Frees what a pool record holds, whatever state it was left in.
void discard_pool_record(const TableLock& lock, PoolRecord& pool);

}  // namespace oxpool::shm
