#include "daemon/http/api.h"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "daemon/event_log.h"
#include "daemon/host_report.h"
#include "daemon/http/json.h"
#include "daemon/http/object_lookup.h"
#include "daemon/http/pool_json.h"
#include "daemon/process_use.h"

namespace oxpool::daemon::http {

namespace {

int64_t unix_ms() {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

json::value pools(const HostReport& report) {
  json::array list;
  for (const PoolReport& pool : report.pools) list.push_back(pool_json(pool, report.now_ns));
  return {{"unix_ms", unix_ms()}, {"pools", std::move(list)}};
}

json::value pool(const SegmentStore& segments, uint64_t id) {
  json::object result;
  visit_pool(
      segments, id,
      [&](const PoolReport& report, const shm::SegmentView& view, const shm::PoolRecord& record) {
        const int64_t now_ns = shm::monotonic_ns();
        result = pool_json(report, now_ns);
        result["holders"] = holders_json(view, record, now_ns);
        result["waiters"] = waiters_json(view, record, now_ns);
        result["idle_by_worker"] = json_numbers(idle_by_worker(view, record));
      });
  result["unix_ms"] = unix_ms();
  return result;
}

json::value value_of(const Field& field) {
  if (field.kind == Field::Kind::kNumber) return json::parse(field.value);
  return json_text(field.value);
}

json::value event(const LoggedEvent& event) {
  json::object fields;
  for (const Field& field : event.fields) fields[field.key] = value_of(field);
  return {{"number", event.number},
          {"unix_ms", event.unix_ms},
          {"level", level_text(event.level)},
          {"event", event.name},
          {"fields", std::move(fields)}};
}

json::value events(uint64_t since) {
  json::array list;
  uint64_t last = recent_events().last();
  for (const LoggedEvent& logged : recent_events().since(since)) {
    list.push_back(event(logged));
    last = logged.number;
  }
  return {{"last", last}, {"events", std::move(list)}};
}

json::object use_json(const TableUse& use) { return {{"used", use.used}, {"room", use.room}}; }

json::value segment_json(const SegmentReport& segment) {
  json::object tables;
  for (const SegmentTable& table : kSegmentTables)
    tables[table.name] = use_json(segment.*table.use);
  return {{"namespace", segment.namespace_name},
          {"bytes", segment.bytes},
          {"broken", segment.broken},
          {"tables", std::move(tables)},
          {"burials", segment.burials},
          {"repairs", segment.repairs},
          {"leaks", segment.leaks},
          {"deadlocks", segment.deadlocks},
          {"pools_removed", segment.pools_removed},
          {"mutexes_removed", segment.mutexes_removed}};
}

json::value server(const HostReport& report, const Heartbeat& heartbeat) {
  const Heartbeat::State state = heartbeat.state();
  const ProcessUse use = process_use();
  json::array troubles;
  for (const std::string& trouble : state.troubles) troubles.push_back(json_text(trouble));
  json::array namespaces;
  for (const SegmentReport& segment : report.segments) namespaces.push_back(segment_json(segment));
  const auto started_ms = static_cast<int64_t>(use.started_unix_seconds * 1000);
  return {{"version", OXPOOL_VERSION},
          {"pid", getpid()},
          {"unix_ms", unix_ms()},
          {"started_unix_ms", started_ms},
          {"sessions", state.sessions},
          {"loop_late_ms", heartbeat.late_ns(report.now_ns) / shm::kNanosPerMilli},
          {"resident_bytes", use.resident_bytes},
          {"troubles", std::move(troubles)},
          {"namespaces", std::move(namespaces)}};
}

}  // namespace

void add_api(Router* router, const SegmentStore& segments, const Heartbeat& heartbeat) {
  router->add("/api/v1/pools", {}, [&segments](const Parameters&) {
    return json_response(pools(report_host(segments)));
  });
  router->add("/api/v1/pool", {"id"}, [&segments](const Parameters& given) {
    return json_response(pool(segments, required_id(given)));
  });
  router->add("/api/v1/events", {"since"}, [](const Parameters& given) {
    return json_response(events(given.number("since", 0, kMaxId).value_or(0)));
  });
  router->add("/api/v1/server", {}, [&segments, &heartbeat](const Parameters&) {
    return json_response(server(report_host(segments), heartbeat));
  });
}

}  // namespace oxpool::daemon::http
