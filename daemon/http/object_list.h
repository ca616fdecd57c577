// Pools and mutexes as entries of one list.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/host_report.h"
#include "daemon/http/object_types.h"

namespace oxpool::daemon::http {

// What introspection tells of objects of every type.
struct SharedObject {
  const ObjectType* type = nullptr;
  uint64_t id = 0;
  uint32_t workers = 0;     // attached
  uint64_t operations = 0;  // acquires and releases; of a mutex, locks
  uint64_t memory_bytes = 0;
  int64_t created_ns = 0;
};

SharedObject object_of(const PoolReport& pool);
SharedObject object_of(const MutexReport& mutex);

// By id.
std::vector<SharedObject> list_objects(const HostReport& report);

ObjectTotals totals_of(const HostReport& report, const ObjectType& type);
ObjectTotals totals_of_all(const HostReport& report);

}  // namespace oxpool::daemon::http
