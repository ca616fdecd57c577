#include "daemon/idle_scheduler.h"

#include "shm/aging.h"

namespace oxpool::daemon {

namespace {

// Another one whenever a setting that matters here is another one.
int64_t stamp_of(const shm::PoolRecord& pool) {
  const shm::PoolSettings& settings = pool.settings;
  uint64_t stamp = settings.idle_timeout_ms.load(std::memory_order_relaxed);
  stamp = stamp * 1'000'003 + settings.max_lifetime_ms.load(std::memory_order_relaxed);
  stamp = stamp * 1'000'003 + settings.min_idle.load(std::memory_order_relaxed);
  return static_cast<int64_t>(stamp);
}

}  // namespace

IdleScheduler::IdleScheduler() : agenda_(stamp_of) {}

uint32_t IdleScheduler::run(const shm::SegmentView& view, int64_t now_ns) {
  uint32_t flagged = 0;
  agenda_.run(view, now_ns, [&](shm::PoolRecord& pool) {
    return shm::flag_overdue(view, pool, now_ns, &flagged);
  });
  return flagged;
}

}  // namespace oxpool::daemon
