// Finding one pool by the id that a request names.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/http/parameters.h"
#include "daemon/http/request_error.h"
#include "daemon/pool_report.h"
#include "daemon/segment_store.h"
#include "shm/clock.h"
#include "shm/pool_table.h"

namespace oxpool::daemon::http {

inline constexpr uint64_t kMaxId = (uint64_t{1} << 53) - 1;

inline uint64_t required_id(const Parameters& parameters) {
  return parameters.required_number("id", 1, kMaxId);
}

// Calls visit(report, view, record) for the pool. Throws RequestError 404 when there is none of
// that id.
template <typename Visit>
void visit_pool(const SegmentStore& segments, uint64_t id, Visit visit) {
  bool found = false;
  segments.read([&](const std::string& name, const shm::SegmentView& view) {
    if (found) return;
    const shm::PoolRecord* record = shm::find_live_pool(view, id);
    if (record == nullptr) return;
    const PoolReport report = report_pool(name, view, *record, shm::monotonic_ns());
    if (report.id != id) return;  // removed meanwhile
    found = true;
    visit(report, view, *record);
  });
  if (!found) throw RequestError(404, "there is no entry with id " + std::to_string(id));
}

}  // namespace oxpool::daemon::http
