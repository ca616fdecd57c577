// Finding one pool or mutex by the id that a request names.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/http/parameters.h"
#include "daemon/http/request_error.h"
#include "daemon/mutex_report.h"
#include "daemon/pool_report.h"
#include "daemon/segment_store.h"
#include "shm/clock.h"
#include "shm/mutex_table.h"
#include "shm/pool_table.h"

namespace oxpool::daemon::http {

inline constexpr uint64_t kMaxId = (uint64_t{1} << 53) - 1;

inline uint64_t required_id(const Parameters& parameters) {
  return parameters.required_number("id", 1, kMaxId);
}

[[noreturn]] inline void throw_no_entry(uint64_t id) {
  throw RequestError(404, "there is no entry with id " + std::to_string(id));
}

// Calls visit(report, view, record) for the pool. False: there is none of that id.
template <typename Visit>
bool find_pool(const SegmentStore& segments, uint64_t id, Visit visit) {
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
  return found;
}

// The same for a mutex.
template <typename Visit>
bool find_mutex(const SegmentStore& segments, uint64_t id, Visit visit) {
  bool found = false;
  segments.read([&](const std::string& name, const shm::SegmentView& view) {
    if (found) return;
    const shm::MutexRecord* record = shm::find_live_mutex(view, id);
    if (record == nullptr) return;
    const MutexReport report = report_mutex(name, view, *record, shm::monotonic_ns());
    if (report.id != id) return;
    found = true;
    visit(report, view, *record);
  });
  return found;
}

// The same for the pool of that id; throws RequestError 404 when there is none.
template <typename Visit>
void visit_pool(const SegmentStore& segments, uint64_t id, Visit visit) {
  if (!find_pool(segments, id, visit)) throw_no_entry(id);
}

// Calls one of the two; throws RequestError 404 when nothing has that id.
template <typename VisitPool, typename VisitMutex>
void visit_object(const SegmentStore& segments, uint64_t id, VisitPool visit_pool,
                  VisitMutex visit_mutex) {
  if (find_pool(segments, id, visit_pool) || find_mutex(segments, id, visit_mutex)) return;
  throw_no_entry(id);
}

}  // namespace oxpool::daemon::http
