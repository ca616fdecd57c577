#include "daemon/http/object_list.h"

#include <algorithm>

namespace oxpool::daemon::http {

SharedObject object_of(const PoolReport& pool) {
  return {&kPoolType,        pool.id,        pool.workers, shm::operations(pool.sums),
          pool.memory_bytes, pool.created_ns};
}

SharedObject object_of(const MutexReport& mutex) {
  return {&kMutexType,         mutex.id,           mutex.sums.seats,
          mutex.sums.acquires, mutex.memory_bytes, mutex.created_ns};
}

std::vector<SharedObject> list_objects(const HostReport& report) {
  std::vector<SharedObject> objects;
  objects.reserve(report.pools.size() + report.mutexes.size());
  for (const PoolReport& pool : report.pools) objects.push_back(object_of(pool));
  for (const MutexReport& mutex : report.mutexes) objects.push_back(object_of(mutex));
  std::sort(objects.begin(), objects.end(),
            [](const SharedObject& a, const SharedObject& b) { return a.id < b.id; });
  return objects;
}

ObjectTotals totals_of(const HostReport& report, const ObjectType& type) {
  return type.tag == kPoolType.tag ? report.pool_totals() : report.mutex_totals();
}

ObjectTotals totals_of_all(const HostReport& report) {
  ObjectTotals all;
  for (const ObjectType& type : kObjectTypes) {
    const ObjectTotals totals = totals_of(report, type);
    all.count += totals.count;
    all.bytes += totals.bytes;
    all.operations += totals.operations;
  }
  return all;
}

}  // namespace oxpool::daemon::http
