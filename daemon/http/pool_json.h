// A pool as JSON, for the page.
#pragma once

#include <cstdint>

#include "daemon/http/json.h"
#include "daemon/pool_report.h"

namespace oxpool::daemon::http {

// Counts, settings, gate, counters and histograms; README.md has the keys. Times are in
// milliseconds, also ages: how long ago something began.
json::object pool_json(const PoolReport& pool, int64_t now_ns);

// Who has a unit, and who waits for one (first come first).
json::array holders_json(const shm::SegmentView& view, const shm::PoolRecord& pool, int64_t now_ns);
json::array waiters_json(const shm::SegmentView& view, const shm::PoolRecord& pool, int64_t now_ns);

}  // namespace oxpool::daemon::http
