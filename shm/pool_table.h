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
  Rebalance rebalance = Rebalance::kHandOver;
};

enum class PoolResult {
  kOk,
  kNoPool,    // the pool table is full and no unattached record can be reused
  kNoChunk,   // no room for so many slots
  kTooLarge,  // max_size above kMaxSlotsPerPool, or a name above kNameBytes
  kNoSeat,    // the seat table is full
  kTimeout,   // a lock could not be had in time: somebody is stopped inside
};

// Index of the live pool of that name (any bytes, ≤ kNameBytes), or kNoIndex.
uint32_t find_pool(const TableLock& lock, std::string_view name);

// Finds the pool or makes it with the requested settings; its slots exist then, all FREE in a new
// one.
PoolResult find_or_make_pool(const TableLock& lock, std::string_view name,
                             const PoolRequest& request, int64_t now_ns, uint32_t* index);

// Makes sure that the pool has room for `max_size` slots.
PoolResult reserve_slots(const TableLock& lock, PoolRecord& pool, uint32_t max_size);

// Stores what a worker asks for if its process started later than the one that asked last.
// *disagreed: it asked for another max_size or idle timeout than is stored. The new cap comes into
// force under the pool's lock (settle_cap).
void request_settings(PoolRecord& pool, const PoolRequest& request, uint64_t started_serial,
                      int64_t now_ns, bool* disagreed);

// Removes an unattached pool: its chunks go back, its record is free. False: somebody is attached.
bool remove_pool(const TableLock& lock, PoolRecord& pool);

// Frees what a pool record holds, whatever state it was left in.
void discard_pool_record(const TableLock& lock, PoolRecord& pool);

}  // namespace oxpool::shm
