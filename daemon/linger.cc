#include "daemon/linger.h"

#include <algorithm>

#include "daemon/event.h"
#include "shm/clock.h"
#include "shm/locks.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

namespace {

constexpr int64_t kPatienceNs = 2 * shm::kNanosPerMilli;
constexpr int64_t kRetryNs = shm::kNanosPerSecond;

bool unattached(const shm::PoolRecord& pool) {
  return pool.seats.load(std::memory_order_acquire) == 0;
}

// Since when nobody is attached; counted from now on when the record does not say.
int64_t unattached_since(shm::PoolRecord& pool, int64_t now_ns) {
  int64_t since_ns = 0;
  // Whoever attaches meanwhile stores 0 again, or has taken its seat, which is looked at first.
  if (pool.unattached_since_ns.compare_exchange_strong(since_ns, now_ns,
                                                       std::memory_order_relaxed)) {
    return now_ns;
  }
  return std::clamp<int64_t>(since_ns, 0, now_ns);
}

}  // namespace

// Only new pools have to be noticed: no change makes a known one due earlier than one linger time.
Linger::Linger() : agenda_([](const shm::PoolRecord&) { return int64_t{0}; }) {}

uint32_t Linger::run(NamespaceSegment& segment, std::chrono::seconds linger, int64_t now_ns) {
  const int64_t linger_ns = std::chrono::nanoseconds(linger).count();
  if (linger_ns != linger_ns_) agenda_.look_at_all();
  linger_ns_ = linger_ns;
  uint32_t removed = 0;
  agenda_.run(segment.view(), now_ns,
              [&](shm::PoolRecord& pool) { return examine(segment, pool, now_ns, &removed); });
  return removed;
}

int64_t Linger::examine(NamespaceSegment& segment, shm::PoolRecord& pool, int64_t now_ns,
                        uint32_t* removed) const {
  if (!unattached(pool)) return shm::deadline_after(now_ns, linger_ns_);
  const int64_t due_ns = shm::deadline_after(unattached_since(pool, now_ns), linger_ns_);
  if (due_ns > now_ns) return due_ns;

  const uint64_t id = pool.id.load(std::memory_order_relaxed);
  shm::TableLock lock(segment.view(), segment.locks(), kPatienceNs);
  if (!lock.held()) return now_ns + kRetryNs;
  // Anything may have happened before the lock was had.
  if (!shm::is_live(pool) || pool.id.load(std::memory_order_relaxed) != id || !unattached(pool) ||
      shm::deadline_after(unattached_since(pool, now_ns), linger_ns_) > now_ns) {
    return now_ns + kRetryNs;
  }
  const std::string name = shm::pool_name(pool);
  if (!shm::remove_pool(lock, pool)) return now_ns + kRetryNs;
  ++*removed;
  log_event(Level::kInfo, "pool removed",
            {{"namespace", segment.name()},
             {"pool", name},
             {"id", id},
             {"reason", "nobody was attached for " +
                            std::to_string(linger_ns_ / shm::kNanosPerSecond) + " s"}});
  return shm::kNoDeadline;
}

}  // namespace oxpool::daemon
