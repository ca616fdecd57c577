#include "daemon/stray_net.h"

#include "daemon/event.h"
#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/pool_table.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

namespace {

// Whoever is inside for longer is asked again a round later.
constexpr int64_t kPatienceNs = 2 * shm::kNanosPerMilli;

bool has_strays(const shm::SegmentView& view, const shm::PoolRecord& pool) {
  bool found = false;
  shm::for_each_slot(view, pool, [&](uint32_t, const shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (found || !word.owned()) return;
    const shm::LaneRecord* lane = view.lane(word.owner().lane());
    found = lane == nullptr ||
            lane->incarnation.load(std::memory_order_acquire) != word.owner().incarnation();
  });
  return found;
}

}  // namespace

uint32_t StrayNet::step(NamespaceSegment& segment) {
  const shm::SegmentView& view = segment.view();
  const uint32_t pools = view.high_water(shm::kPoolTable);
  if (pools == 0) return 0;
  if (next_ >= pools) next_ = 0;
  shm::PoolRecord& pool = *view.pool(next_++);
  if (!shm::is_live(pool) || !has_strays(view, pool)) return 0;
  shm::PoolLock lock(view, pool, segment.locks(), kPatienceNs);
  if (!lock.held()) return 0;
  const uint32_t freed = shm::bury_strays_at_pool(lock);
  if (freed != 0) {
    log_event(Level::kWarning, "stray slots freed",
              {{"namespace", segment.name()}, {"pool", shm::pool_name(pool)}, {"slots", freed}});
  }
  return freed;
}

}  // namespace oxpool::daemon
