#include "daemon/admin/unfinished.h"

#include <map>

#include "daemon/admin/messages.h"
#include "shm/inspection.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

using shm::SlotState;
using shm::SlotWord;

bool evicted_but_there(SlotWord word) {
  return word.owned() && word.reason() == shm::CloseReason::kEvict &&
         (word.state() == SlotState::kIdle || word.state() == SlotState::kClosing);
}

bool in_use(SlotWord word) {
  return word.owned() && word.state() != SlotState::kIdle && word.state() != SlotState::kClosing;
}

bool there(SlotWord word) { return word.owned(); }

bool any_unfinished(const shm::SegmentView& view, const shm::PoolRecord& pool,
                    const IsUnfinished& is_unfinished) {
  bool any = false;
  shm::for_each_slot(view, pool, [&](uint32_t, const shm::SlotRecord& slot) {
    any = any || is_unfinished(shm::load_slot(slot));
  });
  return any;
}

std::vector<v1::Unfinished> list_unfinished(const std::string& namespace_name,
                                            const shm::SegmentView& view,
                                            const shm::PoolRecord& pool,
                                            const IsUnfinished& is_unfinished) {
  std::map<uint64_t, v1::Unfinished> by_owner;
  shm::for_each_slot(view, pool, [&](uint32_t, const shm::SlotRecord& slot) {
    const SlotWord word = shm::load_slot(slot);
    if (!is_unfinished(word)) return;
    v1::Unfinished& one = by_owner[word.owner().raw];
    if (one.pool_id() == 0) {
      one.set_namespace_(namespace_name);
      one.set_pool_id(pool.id.load(std::memory_order_relaxed));
      one.set_pool_name(shm::pool_name(pool));
      fill(shm::worker_name(view, word.owner()), one.mutable_worker());
    }
    switch (word.state()) {
      case SlotState::kIdle:
        one.set_idle(one.idle() + 1);
        break;
      case SlotState::kClosing:
        one.set_closing(one.closing() + 1);
        break;
      default:
        one.set_in_use(one.in_use() + 1);
    }
  });
  std::vector<v1::Unfinished> result;
  for (auto& [owner, one] : by_owner) result.push_back(std::move(one));
  return result;
}

}  // namespace oxpool::daemon::admin
