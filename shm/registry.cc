#include "shm/registry.h"

#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::shm {

namespace {

bool has_given_name(const PoolRecord& pool) {
  return (pool.naming.load(std::memory_order_relaxed) & (kGivenName | kNameRemoved)) == kGivenName;
}

}  // namespace

bool remove_name(const TableLock& lock, std::string_view name) {
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
  return totals;
}

}  // namespace oxpool::shm
