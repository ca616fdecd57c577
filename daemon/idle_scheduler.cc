#include "daemon/idle_scheduler.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/slot.h"

namespace oxpool::daemon {

namespace {

// Longer ones are no different to anybody, and multiply without overflow.
constexpr uint64_t kMaxTimeoutMs = uint64_t{100} * 365 * 86'400 * 1000;

int64_t idle_timeout_ns(const shm::PoolRecord& pool) {
  const uint64_t ms = pool.settings.idle_timeout_ms.load(std::memory_order_relaxed);
  return static_cast<int64_t>(std::min(ms, kMaxTimeoutMs)) * shm::kNanosPerMilli;
}

// When the slot's time is over. What was written there is not trusted.
int64_t expiry_ns(const shm::SlotRecord& slot, int64_t timeout_ns, int64_t now_ns) {
  const int64_t since_ns = slot.changed_ns.load(std::memory_order_relaxed);
  return shm::deadline_after(std::clamp<int64_t>(since_ns, 0, now_ns), timeout_ns);
}

// Flags what has expired in one pool and returns when the next slot can.
int64_t flag_expired(const shm::SegmentView& view, const shm::PoolRecord& pool, int64_t now_ns,
                     uint32_t* flagged) {
  const int64_t timeout_ns = idle_timeout_ns(pool);
  if (timeout_ns == 0) return shm::kNoDeadline;
  int64_t next_ns = shm::deadline_after(now_ns, timeout_ns);
  shm::for_each_slot(view, pool, [&](uint32_t, shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (word.state() != shm::SlotState::kIdle) return;
    const int64_t expires_ns = expiry_ns(slot, timeout_ns, now_ns);
    if (expires_ns > now_ns) {
      next_ns = std::min(next_ns, expires_ns);
    } else if (shm::flag_idle(view, slot, shm::CloseReason::kIdleTimeout)) {
      ++*flagged;
    }
  });
  return next_ns;
}

}  // namespace

IdleScheduler::IdleScheduler()
    : agenda_([](const shm::PoolRecord& pool) { return idle_timeout_ns(pool); }) {}

uint32_t IdleScheduler::run(const shm::SegmentView& view, int64_t now_ns) {
  uint32_t flagged = 0;
  agenda_.run(view, now_ns,
              [&](shm::PoolRecord& pool) { return flag_expired(view, pool, now_ns, &flagged); });
  return flagged;
}

}  // namespace oxpool::daemon
