#include "daemon/pool_agenda.h"

#include <algorithm>

#include "shm/pool_table.h"

namespace oxpool::daemon {

namespace {

// Settings can change without a new pool_table_version.
constexpr int64_t kLookAtStampsNs = shm::kNanosPerSecond;

uint64_t live_id(const shm::PoolRecord& pool) {
  return shm::is_live(pool) ? pool.id.load(std::memory_order_relaxed) : 0;
}

}  // namespace

void PoolAgenda::run(const shm::SegmentView& view, int64_t now_ns, const Examine& examine) {
  const uint64_t version = view.header().pool_table_version.load(std::memory_order_acquire);
  if (version != seen_version_ || now_ns - discovered_ns_ >= kLookAtStampsNs) {
    seen_version_ = version;
    discovered_ns_ = now_ns;
    discover(view, now_ns);
  }
  while (!due_.empty() && due_.begin()->first <= now_ns) {
    const uint32_t index = due_.begin()->second;
    set_due(index, shm::kNoDeadline);
    shm::PoolRecord& pool = *view.pool(index);
    if (live_id(pool) != known_[index].id) {
      known_[index].id = 0;  // removed; if something else is there now, discover finds it
      continue;
    }
    // In the future, so that this turn ends.
    set_due(index, std::max(examine(pool), now_ns + 1));
  }
}

void PoolAgenda::discover(const shm::SegmentView& view, int64_t now_ns) {
  const uint32_t pools = view.high_water(shm::kPoolTable);
  if (known_.size() < pools) known_.resize(pools);
  for (uint32_t index = 0; index < pools; ++index) {
    const shm::PoolRecord& pool = *view.pool(index);
    Known& known = known_[index];
    const uint64_t id = live_id(pool);
    const int64_t stamp = id != 0 ? stamp_(pool) : 0;
    if (id == known.id && stamp == known.stamp) continue;
    known.id = id;
    known.stamp = stamp;
    set_due(index, id != 0 ? now_ns : shm::kNoDeadline);
  }
}

void PoolAgenda::set_due(uint32_t index, int64_t due_ns) {
  Known& known = known_[index];
  if (known.due_ns != shm::kNoDeadline) due_.erase({known.due_ns, index});
  known.due_ns = due_ns;
  if (due_ns != shm::kNoDeadline) due_.insert({due_ns, index});
}

void PoolAgenda::look_at_all() {
  known_.clear();
  due_.clear();
  seen_version_ = kNeverSeen;
}

}  // namespace oxpool::daemon
