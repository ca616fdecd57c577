#include "daemon/pool_report.h"

#include <algorithm>

#include "shm/inspection.h"
#include "shm/pool_table.h"
#include "shm/rebalance.h"
#include "shm/slot.h"

namespace oxpool::daemon {

namespace {

template <typename Word>
auto get(const Word& word) {
  return word.load(std::memory_order_relaxed);
}

PoolReport report_pool(std::string_view namespace_name, const shm::SegmentView& view,
                       const shm::PoolRecord& pool, const shm::CounterSums& sums, int64_t now_ns) {
  PoolReport report;
  report.namespace_name = namespace_name;
  report.sums = sums;
  report.index = view.index_of(pool);
  report.id = get(pool.id);
  report.name = shm::pool_name(pool);
  report.given_name = (get(pool.naming) & shm::kGivenName) != 0;
  report.counts = shm::count_pool(view, pool);

  const shm::PoolSettings& settings = pool.settings;
  report.requested_max_size = get(settings.max_size);
  report.operator_max_size = get(pool.operator_max_size);
  report.idle_timeout_ms = get(settings.idle_timeout_ms);
  report.max_lifetime_ms = get(settings.max_lifetime_ms);
  report.leak_after_ms = get(settings.leak_after_ms);
  report.patience_ms = shm::patience_setting_ms(view, pool);
  report.close_wait_ms = get(settings.close_wait_ms);
  report.min_idle = get(settings.min_idle);
  report.max_waiting = get(settings.max_waiting);
  report.strict = shm::is_strict(view, pool);
  report.persistent = shm::has_trait(pool, shm::kPersistent);
  report.accept_gate = shm::has_trait(pool, shm::kAcceptGate);
  report.disagreed = get(pool.disagreed_serial) != 0;

  report.gate = shm::load_gate(pool);
  report.created_ns = std::clamp<int64_t>(get(pool.created_ns), 0, now_ns);
  if (report.counts.waiting != 0) {
    report.head_since_ns = std::clamp<int64_t>(get(pool.head_since_ns), 0, now_ns);
  }
  report.workers = get(pool.seats);
  report.gated = get(pool.gated);
  report.leaks = get(pool.leaks);
  report.factory_mean_ns = get(pool.factory_mean_ns);
  report.reserve = get(pool.reserve);
  report.starved_waits = get(pool.starved_waits);
  report.memory_bytes = sizeof(shm::PoolRecord) + view.chunk_count(pool) * sizeof(shm::ChunkRecord);
  return report;
}

}  // namespace

std::vector<PoolReport> report_pools(std::string_view namespace_name, const shm::SegmentView& view,
                                     int64_t now_ns) {
  std::vector<shm::CounterSums> sums;
  shm::sum_counters(view, &sums);
  std::vector<PoolReport> reports;
  // A pool that was made since has its turn next time: its sums are not there yet.
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const shm::PoolRecord& pool = *view.pool(i);
    if (!shm::is_live(pool)) continue;
    reports.push_back(report_pool(namespace_name, view, pool, sums[i], now_ns));
  }
  std::sort(reports.begin(), reports.end(),
            [](const PoolReport& a, const PoolReport& b) { return a.id < b.id; });
  return reports;
}

PoolReport report_pool(std::string_view namespace_name, const shm::SegmentView& view,
                       const shm::PoolRecord& pool, int64_t now_ns) {
  return report_pool(namespace_name, view, pool, shm::sum_counters(view, pool), now_ns);
}

std::map<std::string, uint32_t> idle_by_worker(const shm::SegmentView& view,
                                               const shm::PoolRecord& pool) {
  std::map<std::string, uint32_t> idle;
  shm::for_each_slot(view, pool, [&](uint32_t, const shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (word.state() != shm::SlotState::kIdle) return;
    ++idle[shm::worker_name(view, word.owner()).text()];
  });
  return idle;
}

}  // namespace oxpool::daemon
