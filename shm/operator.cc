#include "shm/operator.h"

#include "shm/queue.h"
#include "shm/slot.h"

namespace oxpool::shm {

PoolResult resize_pool(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                       uint32_t max_size, int64_t lock_patience_ns) {
  {
    TableLock tables(view, context, lock_patience_ns);
    if (!tables.held()) return PoolResult::kTimeout;
    if (!is_live(pool)) return PoolResult::kNoPool;
    const PoolResult result = reserve_slots(tables, pool, max_size);
    if (result != PoolResult::kOk) return result;
    pool.operator_max_size.store(max_size, std::memory_order_relaxed);
    view.header().pool_table_version.fetch_add(1, std::memory_order_release);
  }
  // Whoever serves the queue next brings the cap in line if the lock can not be had now.
  PoolLock lock(view, pool, context, lock_patience_ns);
  if (lock.held()) serve(lock);
  return PoolResult::kOk;
}

uint32_t flag_all_idle(const SegmentView& view, const PoolRecord& pool, CloseReason reason) {
  uint32_t flagged = 0;
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    if (flag_idle(view, slot, reason)) ++flagged;
  });
  return flagged;
}

}  // namespace oxpool::shm
