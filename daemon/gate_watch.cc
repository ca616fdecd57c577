#include "daemon/gate_watch.h"

#include "shm/gated.h"
#include "shm/pool_table.h"

namespace oxpool::daemon {

void GateWatch::run(const shm::SegmentView& view) {
  shm::for_each_live_pool(view, [&](shm::PoolRecord& pool) {
    if (!shm::has_trait(pool, shm::kAcceptGate) && pool.gated.load(std::memory_order_relaxed) == 0)
      return;
    shm::recount_gated(view, pool, &seen_[view.index_of(pool)]);
  });
}

}  // namespace oxpool::daemon
