#include "daemon/mutex_report.h"

#include <algorithm>

#include "shm/value.h"

namespace oxpool::daemon {

namespace {

MutexReport report_mutex(std::string_view namespace_name, const shm::SegmentView& view,
                         const shm::MutexRecord& mutex, const shm::MutexSums& sums,
                         uint32_t waiters, int64_t now_ns) {
  MutexReport report;
  report.namespace_name = namespace_name;
  report.index = view.index_of(mutex);
  report.id = mutex.id.load(std::memory_order_relaxed);
  report.name = shm::mutex_name(mutex);
  report.given_name = (mutex.naming.load(std::memory_order_relaxed) & shm::kGivenName) != 0;
  report.recovers = mutex.on_owner_death.load(std::memory_order_relaxed) ==
                    static_cast<uint32_t>(shm::OnOwnerDeath::kRecover);
  report.removed = shm::is_removed(mutex);
  report.corrupted = shm::is_corrupted(mutex) && !report.removed;
  if (const shm::OwnerId holder = shm::holder(mutex)) {
    report.holder = shm::worker_name(view, holder);
  }
  report.waiters = waiters;
  report.sums = sums;
  report.sums.last_ns = std::clamp<int64_t>(sums.last_ns, 0, now_ns);
  report.created_ns =
      std::clamp<int64_t>(mutex.created_ns.load(std::memory_order_relaxed), 0, now_ns);
  report.value_bytes = shm::load_value(mutex).bytes();
  report.memory_bytes = shm::mutex_bytes(view, mutex, sums.seats);
  return report;
}

}  // namespace

std::vector<MutexReport> report_mutexes(std::string_view namespace_name,
                                        const shm::SegmentView& view, int64_t now_ns) {
  std::vector<shm::MutexSums> sums;
  shm::sum_mutexes(view, &sums);
  const std::vector<uint32_t> waiters = shm::count_lock_waiters(view);
  std::vector<MutexReport> reports;
  // One that was made since has its turn next time: its sums are not there yet.
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const shm::MutexRecord& mutex = *view.mutex(i);
    if (!shm::is_live(mutex)) continue;
    reports.push_back(report_mutex(namespace_name, view, mutex, sums[i],
                                   i < waiters.size() ? waiters[i] : 0, now_ns));
  }
  std::sort(reports.begin(), reports.end(),
            [](const MutexReport& a, const MutexReport& b) { return a.id < b.id; });
  return reports;
}

MutexReport report_mutex(std::string_view namespace_name, const shm::SegmentView& view,
                         const shm::MutexRecord& mutex, int64_t now_ns) {
  return report_mutex(namespace_name, view, mutex, shm::sum_mutex(view, mutex),
                      shm::count_lock_waiters(view, mutex), now_ns);
}

}  // namespace oxpool::daemon
