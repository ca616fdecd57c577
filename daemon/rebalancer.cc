#include "daemon/rebalancer.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/pool_table.h"
#include "shm/rebalance.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

namespace {

uint32_t get(const shm::Word32& word) { return word.load(std::memory_order_relaxed); }

// The least that may be kept free, and the most; the latter 0 where nothing is to be moved.
struct Bounds {
  uint32_t least = 0;
  uint32_t most = 0;
};

Bounds bounds_of(const shm::SegmentView& view, const shm::PoolRecord& pool) {
  const uint32_t cap = get(pool.cap);
  if (cap < 2 || get(pool.seats) <= cap || shm::has_trait(pool, shm::kAcceptGate) ||
      shm::is_strict(view, pool)) {
    return {};
  }
  const uint32_t spared = std::max(get(pool.settings.min_idle), 1u);
  const uint32_t most = cap > spared ? cap - spared : 0;
  return {shm::has_trait(pool, shm::kPersistent) ? 0 : std::min(1u, most), most};
}

}  // namespace

uint32_t Rebalancer::run(const shm::SegmentView& view, int64_t now_ns) {
  if (now_ns < next_ns_) return 0;
  next_ns_ = shm::deadline_after(now_ns, kWindowNs);
  known_.resize(view.count(shm::kPoolTable));
  uint32_t flagged = 0;
  shm::for_each_live_pool(view, [&](shm::PoolRecord& pool) {
    Known& known = known_[view.index_of(pool)];
    const uint64_t id = pool.id.load(std::memory_order_relaxed);
    if (known.id != id) {
      known = {id, pool.starved_waits.load(std::memory_order_relaxed), 0};
    }
    flagged += look(view, pool, &known, now_ns);
  });
  return flagged;
}

uint32_t Rebalancer::look(const shm::SegmentView& view, shm::PoolRecord& pool, Known* known,
                          int64_t now_ns) {
  const uint64_t starved_in_all = pool.starved_waits.load(std::memory_order_relaxed);
  const uint64_t starved = starved_in_all - std::min(known->starved, starved_in_all);
  known->starved = starved_in_all;
  const Bounds bounds = bounds_of(view, pool);
  const uint32_t before = get(pool.reserve);
  uint32_t reserve = std::clamp(before, bounds.least, bounds.most);
  uint32_t flagged = 0;
  if (reserve != 0 || (starved != 0 && bounds.most != 0)) {
    const uint32_t cap = get(pool.cap);
    const shm::PoolCounts counts = shm::count_pool(view, pool);
    const uint64_t taken = uint64_t{counts.in_use} + counts.idle + counts.minting + counts.closing;
    const bool took_effect = uint64_t{counts.idle} + reserve <= cap;
    const bool calm = starved == 0 && taken + 2 <= cap;
    known->calm_windows = calm ? known->calm_windows + 1 : 0;
    if (starved != 0 && took_effect) {
      const auto shortfall = static_cast<uint32_t>(std::min<uint64_t>(starved, kMostARise));
      reserve = std::min(reserve + shortfall, bounds.most);
    } else if (known->calm_windows >= kCalmWindows) {
      known->calm_windows = 0;
      reserve = std::max(reserve - std::min(reserve, 1u), bounds.least);
    }
    const uint32_t room = cap - std::min(reserve, cap);
    // While somebody waits, patience says who closes what.
    const uint32_t over = counts.waiting != 0 ? 0 : counts.idle - std::min(counts.idle, room);
    // Those that are flagged already count: no more than `over` in all.
    for (uint32_t i = counts.flagged; i < over; ++i) {
      if (!shm::flag_needed_last(view, pool, shm::kNobody, shm::CloseReason::kHandOver,
                                 shm::kNoDeadline, now_ns, over)) {
        break;
      }
      ++flagged;
    }
  }
  if (reserve != before) pool.reserve.store(reserve, std::memory_order_relaxed);
  return flagged;
}

}  // namespace oxpool::daemon
