#include "shm/registry.h"

#include "shm/mutex_inspection.h"
#include "shm/mutex_table.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::shm {

namespace {

// Of a pool or a mutex.
template <typename Record>
bool has_given_name(const Record& record) {
  return (record.naming.load(std::memory_order_relaxed) & (kGivenName | kNameRemoved)) ==
         kGivenName;
}

}  // namespace

bool remove_name(const TableLock& lock, std::string_view name) {
  if (const uint32_t mutex = find_mutex(lock, name); mutex != kNoIndex) {
    remove_mutex_name(lock, *lock.view().mutex(mutex));
    return true;
  }
  const uint32_t index = find_pool(lock, name);
  if (index == kNoIndex) return false;
  PoolRecord& pool = *lock.view().pool(index);
  pool.naming.fetch_or(kNameRemoved, std::memory_order_release);
  remove_pool(lock, pool);  // unless somebody is attached
  return true;
}

std::vector<std::string> given_names(const TableLock& lock) {
  std::vector<std::string> names;
  for_each_live_pool(lock.view(), [&](const PoolRecord& pool) {
    if (has_given_name(pool)) names.push_back(pool_name(pool));
  });
  for_each_live_mutex(lock.view(), [&](const MutexRecord& mutex) {
    if (has_given_name(mutex)) names.push_back(mutex_name(mutex));
  });
  return names;
}

RegistryTotals count_registry(const TableLock& lock) {
  RegistryTotals totals;
  for_each_live_pool(lock.view(), [&](const PoolRecord& pool) {
    const uint32_t seats = pool.seats.load(std::memory_order_relaxed);
    if (seats == 0 && !has_given_name(pool)) return;
    ++totals.pools;
    totals.bytes += sizeof(PoolRecord) + uint64_t{seats} * sizeof(SeatRecord) +
                    uint64_t{lock.view().chunk_count(pool)} * sizeof(ChunkRecord);
  });
  for_each_live_mutex(lock.view(), [&](const MutexRecord& mutex) {
    ++totals.mutexes;
    totals.mutex_bytes +=
        mutex_bytes(lock.view(), mutex, mutex.seats.load(std::memory_order_relaxed));
  });
  totals.bytes += totals.mutex_bytes;
  return totals;
}

}  // namespace oxpool::shm
