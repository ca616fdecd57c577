// Everything that the daemon tells of all namespaces, of one moment.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/pool_report.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon {

// Use of what all pools of a namespace share, each of the fullest one: there the next one fails.
struct Saturation {
  double entries = 0;  // pool records
  double bytes = 0;    // pool records and slots
};

struct HostReport {
  int64_t now_ns = 0;
  std::vector<SegmentReport> segments;  // by namespace
  std::vector<PoolReport> pools;        // by id; no id twice

  uint64_t pool_bytes() const;
  uint64_t pool_operations() const;  // of pools that are gone, too, so it never goes down
  uint64_t most_pools() const;
  uint64_t most_bytes() const;
  uint64_t deadlocks() const;
  Saturation saturation() const;
};

// A few milliseconds with a thousand pools. Any thread.
HostReport report_host(const SegmentStore& segments);

}  // namespace oxpool::daemon
