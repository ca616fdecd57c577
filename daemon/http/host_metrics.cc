#include "daemon/http/host_metrics.h"

#include "daemon/http/family.h"
#include "daemon/http/object_list.h"
#include "daemon/process_use.h"
#include "shm/clock.h"
#include "shm/layout.h"

namespace oxpool::daemon::http {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

using Families = std::vector<MetricFamily>;

void add_single(Families* families, MetricType type, const char* name, const char* help,
                double value) {
  add_value(add_family(families, type, name, help, 1), {}, value);
}

void add_by_type(const HostReport& report, Families* families, MetricType type, const char* name,
                 const char* help, uint64_t ObjectTotals::*number) {
  MetricFamily& family = add_family(families, type, name, help, std::size(kObjectTypes));
  for (const ObjectType& object : kObjectTypes) {
    add_value(family, {{"type", object.name}},
              static_cast<double>(totals_of(report, object).*number));
  }
}

// One series a namespace.
struct SegmentValue {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const SegmentReport& segment);
};

constexpr SegmentValue kSegmentValues[] = {
    {"oxpool_processes", kGauge, "Worker processes that are attached.",
     [](const SegmentReport& segment) { return double(segment.processes.used); }},
    {"oxpool_lanes", kGauge, "Threads of theirs that run PHP.",
     [](const SegmentReport& segment) { return double(segment.lanes.used); }},
    {"oxpool_segment_bytes", kGauge, "Size of the segment; all of it is reserved.",
     [](const SegmentReport& segment) { return double(segment.bytes); }},
    {"oxpool_segment_broken", kGauge,
     "1 if the segment is damaged beyond repair and gets no new workers.",
     [](const SegmentReport& segment) { return double(segment.broken); }},
    {"oxpool_burials_total", kCounter, "Processes that ended without detaching.",
     [](const SegmentReport& segment) { return double(segment.burials); }},
    {"oxpool_repairs_total", kCounter, "Repairs after a death inside a lock.",
     [](const SegmentReport& segment) { return double(segment.repairs); }},
    {"oxpool_leaks_total", kCounter, "Resources that were reported as held for too long.",
     [](const SegmentReport& segment) { return double(segment.leaks); }},
    {"oxpool_deadlocks_total", kCounter,
     "Waits that were ended because nobody could ever have ended them.",
     [](const SegmentReport& segment) { return double(segment.deadlocks); }},
    {"oxpool_pools_removed_total", kCounter, "Pools that are gone.",
     [](const SegmentReport& segment) { return double(segment.pools_removed); }},
    {"oxpool_mutexes_removed_total", kCounter, "Mutexes that are gone.",
     [](const SegmentReport& segment) { return double(segment.mutexes_removed); }},
};

void add_tables(const HostReport& report, Families* families, uint32_t TableUse::*number,
                const char* name, const char* help) {
  MetricFamily& family =
      add_family(families, kGauge, name, help, report.segments.size() * std::size(kSegmentTables));
  for (const SegmentReport& segment : report.segments) {
    for (const SegmentTable& table : kSegmentTables) {
      add_value(family, {{"namespace", segment.namespace_name}, {"table", table.name}},
                (segment.*table.use).*number);
    }
  }
}

}  // namespace

void add_host_metrics(const HostReport& report, Families* families) {
  add_by_type(report, families, kGauge, "oxphp_shared_objects_total",
              "Objects that exist, by type.", &ObjectTotals::count);
  add_by_type(report, families, kCounter, "oxphp_shared_operations_total",
              "Acquires that were served and releases, and locks of mutexes, by type.",
              &ObjectTotals::operations);
  add_by_type(report, families, kGauge, "oxphp_shared_bytes", "Shared memory in use, by type.",
              &ObjectTotals::bytes);
  add_single(families, kGauge, "oxphp_shared_total_bytes", "Shared memory in use.",
             static_cast<double>(totals_of_all(report).bytes));
  MetricFamily& saturation = add_family(
      families, kGauge, "oxphp_shared_capacity_saturation",
      "Used share, from 0 to 1, of the room for objects in the fullest namespace, by kind.", 2);
  add_value(saturation, {{"kind", "entries"}}, report.saturation().entries);
  add_value(saturation, {{"kind", "bytes"}}, report.saturation().bytes);
  add_single(families, kCounter, "oxphp_shared_deadlock_detected_total",
             "Waits that were ended because nobody could ever have ended them.",
             static_cast<double>(report.deadlocks()));
}

void add_namespace_metrics(const HostReport& report, Families* families) {
  for (const SegmentValue& value : kSegmentValues) {
    MetricFamily& family =
        add_family(families, value.type, value.name, value.help, report.segments.size());
    for (const SegmentReport& segment : report.segments) {
      add_value(family, {{"namespace", segment.namespace_name}}, value.value(segment));
    }
  }
  add_tables(report, families, &TableUse::used, "oxpool_table_records",
             "Records in use, by table of the segment.");
  add_tables(report, families, &TableUse::room, "oxpool_table_capacity",
             "Records that there are, by table of the segment.");
}

void add_daemon_metrics(const HostReport& report, const Heartbeat& heartbeat, Families* families) {
  const std::string abi = std::to_string(shm::kAbiMajor) + "." + std::to_string(shm::kAbiMinor);
  add_value(add_family(families, kGauge, "oxpool_build_info",
                       "Always 1; the running version, and that of its segments.", 1),
            {{"version", OXPOOL_VERSION}, {"abi", abi}}, 1);
  const Heartbeat::State state = heartbeat.state();
  const ProcessUse use = process_use();
  add_single(families, kGauge, "oxpool_start_time_seconds",
             "When the daemon was started, in seconds since 1970.", use.started_unix_seconds);
  add_single(families, kGauge, "oxpool_ready", "1 if /readyz finds nothing wrong.",
             state.troubles.empty() ? 1 : 0);
  add_single(families, kGauge, "oxpool_sessions", "Workers that are connected to the daemon.",
             static_cast<double>(state.sessions));
  add_single(families, kCounter, "oxpool_wakes_total",
             "Times that a sleeping worker was told to look at its idle resources.",
             static_cast<double>(state.wakes));
  add_single(families, kGauge, "oxpool_loop_late_seconds",
             "By how much the main loop's last turn was late, or the next one is.",
             seconds(heartbeat.late_ns(report.now_ns)));
  add_single(families, kCounter, "oxpool_cpu_seconds_total", "CPU time that the daemon took.",
             use.cpu_seconds);
  add_single(families, kGauge, "oxpool_resident_memory_bytes", "Resident memory of the daemon.",
             static_cast<double>(use.resident_bytes));
}

}  // namespace oxpool::daemon::http
