#include "daemon/admin/server_info.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "daemon/admin/messages.h"
#include "daemon/lock_watch.h"
#include "daemon/segment_report.h"
#include "shm/layout.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

namespace {

void fill_directory(const std::string& path, v1::GetServerInfoResponse* response) {
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0) return;
  response->set_directory_bytes(uint64_t{space.f_blocks} * space.f_frsize);
  response->set_directory_free_bytes(uint64_t{space.f_bavail} * space.f_frsize);
}

void fill_frozen(const shm::SegmentView& view, const FrozenLockFact& fact,
                 v1::FrozenLock* message) {
  message->set_namespace_(fact.namespace_name);
  if (const shm::PoolRecord* pool = view.pool(fact.pool)) {
    message->set_pool_id(pool->id.load(std::memory_order_relaxed));
    message->set_pool_name(shm::pool_name(*pool));
  }
  message->set_of_values(fact.pool == FrozenLock::kValues);
  fill(shm::worker_name(view, shm::OwnerId{fact.owner}), message->mutable_worker());
  message->set_held_ms(static_cast<uint64_t>(fact.held_ns / shm::kNanosPerMilli));
}

uint64_t grown(uint64_t now, uint64_t before) { return now - std::min(now, before); }

}  // namespace

void fill_server_info(const SegmentStore& segments, const Facts& facts,
                      const std::optional<CpuThrottling>& at_start,
                      v1::GetServerInfoResponse* response) {
  response->set_version(OXPOOL_VERSION);
  response->set_segment_layout(std::to_string(shm::kAbiMajor) + "." +
                               std::to_string(shm::kAbiMinor));
  response->set_pid(static_cast<uint32_t>(getpid()));
  response->set_uid(geteuid());
  response->set_runtime_dir(facts.runtime_dir);
  response->set_http(facts.http);
  response->set_uptime_ms(
      static_cast<uint64_t>((shm::monotonic_ns() - facts.started_ns) / shm::kNanosPerMilli));
  response->set_ready(facts.troubles.empty());
  for (const std::string& trouble : facts.troubles) response->add_troubles(trouble);
  segments.read([&](const std::string& name, const shm::SegmentView& view) {
    fill(report_segment(name, view), response->add_namespaces());
    for (const FrozenLockFact& fact : facts.frozen_locks) {
      if (fact.namespace_name == name) fill_frozen(view, fact, response->add_frozen_locks());
    }
  });
  fill_directory(facts.runtime_dir, response);
  response->set_new_segment_bytes(facts.new_segment_bytes);
  response->set_loop_late_us(static_cast<uint64_t>(facts.loop_late_ns / 1000));
  response->set_loop_late_max_us(static_cast<uint64_t>(facts.loop_late_max_ns / 1000));
  if (const auto now = read_cpu_throttling()) {
    const CpuThrottling before = at_start.value_or(CpuThrottling());
    v1::CpuQuota* quota = response->mutable_cpu_quota();
    quota->set_periods(grown(now->periods, before.periods));
    quota->set_throttled(grown(now->throttled_periods, before.throttled_periods));
    quota->set_throttled_us(grown(now->throttled_us, before.throttled_us));
  }
  response->set_sessions(facts.sessions);
}

}  // namespace oxpool::daemon::admin
