#include "shm/locks.h"

#include "shm/repair.h"
#include "shm/unit_map.h"

namespace oxpool::shm {

namespace {

// Who was buried alive stays outside: the next one would take it for dead and be inside with it.
bool fenced(const SegmentView& view, OwnerId me) {
  const LaneRecord* lane = view.lane(me.lane());
  return lane == nullptr || lane->incarnation.load(std::memory_order_acquire) != me.incarnation();
}

void count_repair(const SegmentView& view) {
  view.header().repairs.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

PoolLock::PoolLock(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                   int64_t timeout_ns)
    : view_(view), pool_(pool), me_(context.me), held_(false) {
  if (fenced(view, me_)) return;
  const LockResult result = RobustMutex::lock(pool.lock, context, timeout_ns);
  held_ = result != LockResult::kTimeout;
  if (result == LockResult::kOwnerDied) {
    repair_pool(*this);
    count_repair(view_);
  }
}

PoolLock::~PoolLock() {
  if (held_) RobustMutex::unlock(pool_.lock, me_);
}

TableLock::TableLock(const SegmentView& view, const LockContext& context, int64_t timeout_ns)
    : view_(view), context_(context), held_(false) {
  if (fenced(view, context.me)) return;
  const LockResult result = RobustMutex::lock(view.header().table_lock, context, timeout_ns);
  held_ = result != LockResult::kTimeout;
  if (result == LockResult::kOwnerDied) {
    repair_tables(*this);
    count_repair(view_);
  }
}

TableLock::~TableLock() {
  if (held_) RobustMutex::unlock(view_.header().table_lock, context_.me);
}

ValueLock::ValueLock(const SegmentView& view, const LockContext& context, int64_t timeout_ns)
    : view_(view), me_(context.me), held_(false) {
  if (fenced(view, me_)) return;
  const LockResult result = RobustMutex::lock(view.header().value_lock, context, timeout_ns);
  held_ = result != LockResult::kTimeout;
  if (result == LockResult::kOwnerDied) {
    rebuild_unit_map(*this);
    count_repair(view_);
  }
}

ValueLock::~ValueLock() {
  if (held_) RobustMutex::unlock(view_.header().value_lock, me_);
}

}  // namespace oxpool::shm
