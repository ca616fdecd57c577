#include "shm/aging.h"

#include <algorithm>
#include <vector>

#include "shm/clock.h"
#include "shm/slot.h"

namespace oxpool::shm {

namespace {

// Longer ones are no different to anybody, and multiply without overflow.
constexpr uint64_t kMaxAgeMs = uint64_t{100} * 365 * 86'400 * 1000;
// A slot that is spared although its time is over is not any more once another one comes back.
constexpr int64_t kLookAgainNs = kNanosPerSecond;

struct Idle {
  SlotRecord* slot;
  int64_t since_ns;
};

void collect_idle(const SegmentView& view, const PoolRecord& pool, int64_t now_ns,
                  std::vector<Idle>* idle) {
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    if (load_slot(slot).state() != SlotState::kIdle) return;
    idle->push_back({&slot, unchanged_since_ns(slot, now_ns)});
  });
}

// The most recently used ones first, as many as are spared.
void put_spared_first(std::vector<Idle>* idle, uint32_t spared) {
  if (spared == 0) return;
  const auto by_use = [](const Idle& a, const Idle& b) { return a.since_ns > b.since_ns; };
  std::sort(idle->begin(), idle->end(), by_use);
}

}  // namespace

int64_t age_ns(const Word64& milliseconds) {
  return static_cast<int64_t>(std::min(milliseconds.load(std::memory_order_relaxed), kMaxAgeMs)) *
         kNanosPerMilli;
}

int64_t unchanged_since_ns(const SlotRecord& slot, int64_t now_ns) {
  return std::clamp<int64_t>(slot.changed_ns.load(std::memory_order_relaxed), 0, now_ns);
}

int64_t flag_overdue(const SegmentView& view, const PoolRecord& pool, int64_t now_ns,
                     uint32_t* flagged) {
  const int64_t timeout_ns = age_ns(pool.settings.idle_timeout_ms);
  const int64_t lifetime_ns = age_ns(pool.settings.max_lifetime_ms);
  if (timeout_ns == 0 && lifetime_ns == 0) return kNoDeadline;
  int64_t next_ns = kNoDeadline;
  if (timeout_ns > 0) next_ns = deadline_after(now_ns, timeout_ns);
  // A lifetime is drawn from the whole less a part (client/pool.cc): half is less than any.
  if (lifetime_ns > 0) next_ns = std::min(next_ns, deadline_after(now_ns, lifetime_ns / 2));

  thread_local std::vector<Idle> idle;
  idle.clear();
  collect_idle(view, pool, now_ns, &idle);
  const uint32_t spared = pool.settings.min_idle.load(std::memory_order_relaxed);
  put_spared_first(&idle, spared);
  const auto due = [&](int64_t at_ns, SlotRecord& slot, CloseReason reason) {
    if (at_ns > now_ns) {
      next_ns = std::min(next_ns, at_ns);
    } else if (flag_idle(view, slot, reason)) {
      ++*flagged;
    }
  };
  for (size_t i = 0; i < idle.size(); ++i) {
    SlotRecord& slot = *idle[i].slot;
    const int64_t expires_ns = slot.expires_ns.load(std::memory_order_relaxed);
    if (expires_ns > 0) due(expires_ns, slot, CloseReason::kLifetime);
    if (timeout_ns == 0) continue;
    const int64_t idle_until_ns = deadline_after(idle[i].since_ns, timeout_ns);
    if (i >= spared) {
      due(idle_until_ns, slot, CloseReason::kIdleTimeout);
    } else {
      next_ns = std::min(next_ns, std::max(idle_until_ns, deadline_after(now_ns, kLookAgainNs)));
    }
  }
  return next_ns;
}

}  // namespace oxpool::shm
