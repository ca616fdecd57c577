#include "client/local_duties.h"

#include <algorithm>

#include "shm/aging.h"
#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/pool_table.h"

namespace oxpool {

namespace {
constexpr int64_t kEveryNs = 100 * shm::kNanosPerMilli;
}

void LocalDuties::run() {
  const int64_t now_ns = shm::coarse_ns();
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kEveryNs;
  flag_overdue_slots(now_ns);
  bury_the_dead(now_ns);
}

void LocalDuties::flag_overdue_slots(int64_t now_ns) {
  const shm::SegmentView& view = host_->view();
  uint32_t flagged = 0;
  shm::for_each_live_pool(
      view, [&](const shm::PoolRecord& pool) { shm::flag_overdue(view, pool, now_ns, &flagged); });
}

void LocalDuties::bury_the_dead(int64_t now_ns) {
  std::vector<Suspect> dead;
  std::vector<shm::OwnerId> due;
  for (const shm::OwnerId life : host_->dead_lives()) {
    const auto known = std::find_if(suspects_.begin(), suspects_.end(),
                                    [&](const Suspect& suspect) { return suspect.life == life; });
    dead.push_back({life, known != suspects_.end() ? known->since_ns : now_ns});
    if (now_ns - dead.back().since_ns >= shm::kSocketsCloseNs) due.push_back(life);
  }
  suspects_ = std::move(dead);
  if (!due.empty()) host_->bury(due);
}

}  // namespace oxpool
