// Everything that the daemon tells of all namespaces, of one moment.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/mutex_report.h"
#include "daemon/pool_report.h"
#include "daemon/segment_report.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon {

// Use of what all objects of a namespace share, each of the fullest one: there the next one fails.
struct Saturation {
  double entries = 0;  // of the records of pools, or of mutexes: whichever is fuller
  double bytes = 0;    // of records and slots of pools, or of the units of values
};

// All objects of one kind.
struct ObjectTotals {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t operations = 0;  // of those that are gone, too, so it never goes down
};

struct HostReport {
  int64_t now_ns = 0;
  std::vector<SegmentReport> segments;  // by namespace
  std::vector<PoolReport> pools;        // by id; no id twice, in the next one neither
  std::vector<MutexReport> mutexes;     // by id

  ObjectTotals pool_totals() const;
  ObjectTotals mutex_totals() const;
  uint64_t most_entries() const;
  uint64_t most_bytes() const;
  uint64_t deadlocks() const;
  Saturation saturation() const;
};

// A few milliseconds with a thousand pools. Any thread.
HostReport report_host(const SegmentStore& segments);

}  // namespace oxpool::daemon
