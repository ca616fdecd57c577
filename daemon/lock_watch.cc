#include "daemon/lock_watch.h"

#include "shm/pool_table.h"
#include "shm/robust_mutex.h"

namespace oxpool::daemon {

void LockWatch::note(uint32_t pool, const shm::Word64& lock, int64_t now_ns) {
  const shm::OwnerId owner = shm::RobustMutex::holder(lock);
  if (!owner) return;
  Held& held = held_[pool];
  if (held.owner != owner) held = {owner, now_ns, now_ns, 0};
  held.last_ns = now_ns;
  ++held.looks;
}

void LockWatch::look(const shm::SegmentView& view, int64_t now_ns) {
  note(FrozenLock::kTables, view.header().table_lock, now_ns);
  note(FrozenLock::kValues, view.header().value_lock, now_ns);
  shm::for_each_live_pool(
      view, [&](const shm::PoolRecord& pool) { note(view.index_of(pool), pool.lock, now_ns); });
  // What was not seen held now starts anew.
  std::erase_if(held_, [&](const auto& entry) { return entry.second.last_ns != now_ns; });
}

std::vector<FrozenLock> LockWatch::frozen() const {
  std::vector<FrozenLock> found;
  for (const auto& [pool, held] : held_) {
    const int64_t held_ns = held.last_ns - held.first_ns;
    if (held.looks >= kLooks && held_ns >= kPatienceNs)
      found.push_back({pool, held.owner, held_ns});
  }
  return found;
}

}  // namespace oxpool::daemon
