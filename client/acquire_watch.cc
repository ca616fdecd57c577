// What a waiting Acquire does between two slices of sleep: it looks after the queue it waits in.
#include <algorithm>
#include <utility>

#include "client/acquire.h"
#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/queue.h"
#include "shm/rebalance.h"

namespace oxpool {

using shm::CloseReason;
using shm::SlotWord;

namespace {

// A living daemon that has not buried a dead one by then is stopped or starved.
constexpr int64_t kDaemonIsLateNs = 10 * shm::kNanosPerSecond;

}  // namespace

// After a slice in which nothing happened: what could keep a free unit from the head of the queue?
void Acquire::look_after_the_queue() {
  Lane& lane = pool_.lane();
  shm::PoolRecord& record = pool_.record();
  const int64_t now_ns = lane.process().shared_coarse_ns();
  if (early_slices_ > 0) {
    --early_slices_;
    ask_those_who_stay_away();
  }
  if (now_ns - last_look_ns_ < kSliceNs / 2) return;  // woken by a signal, not by the slice's end
  last_look_ns_ = now_ns;
  lane.process().tend_session();

  // With many waiters, one of them looks per slice on average, the head always.
  const uint32_t head = record.head.load(std::memory_order_relaxed);
  const uint32_t waiting = std::max(shm::load_pressure(record).waiting(), 1u);
  if (head != ticket_ && (++turn_ + ticket_) % waiting != 0) return;

  shm::restore_hints(lane.view(), record);
  shm::settle_pressure(lane.view(), record, lane.lock_context(), lock_patience_ns());

  const shm::TicketRecord* head_ticket = lane.view().ticket(head);
  const uint64_t number =
      head_ticket != nullptr ? head_ticket->number.load(std::memory_order_relaxed) : 0;
  still_slices_ = number == last_head_number_ ? still_slices_ + 1 : 0;
  last_head_number_ = number;
  if (head_ticket != nullptr && now_ns - head_ticket->since_ns.load(std::memory_order_relaxed) >=
                                    pool_.patience_ns(head_ticket)) {
    ask_for_an_idle_one(CloseReason::kReclaim, now_ns, shm::Owners::kAny);
  }
  if (still_slices_ >= 2) bury_the_dead(now_ns);
}

bool Acquire::ask_for_an_idle_one(CloseReason reason, int64_t idle_before_ns, shm::Owners owners) {
  shm::PoolRecord& record = pool_.record();
  const shm::SegmentView& view = pool_.lane().view();
  if (shm::is_strict(view, record)) return false;
  const uint32_t wanted = std::max(shm::load_pressure(record).waiting(), 1u);
  const shm::OwnerId owner =
      shm::flag_needed_last(view, record, pool_.lane().id(), reason, idle_before_ns,
                            pool_.lane().process().shared_coarse_ns(), wanted, owners);
  if (!owner) return false;
  if (shm::sleep_of(view, owner) != shm::LaneSleep::kAwake) {
    pool_.lane().process().ask_for_wakes();
  }
  return true;
}

// As soon as it waits. In a pool of processes that serve requests one after the other, an owner
// that runs is on its way to its next acquire, and its slot is warm; one that sleeps is not. What
// can only be asked for is closed when its owner next calls a pool: the daemon keeps some units
// free where that is what waits are for.
void Acquire::ask_those_who_stay_away() {
  const int64_t now_ns = pool_.lane().process().shared_coarse_ns();
  int64_t idle_before_ns = now_ns - kIdleLongEnoughNs;
  if (ask_for_an_idle_one(CloseReason::kReclaim, idle_before_ns, shm::Owners::kAsleep)) return;
  if (pool_.is_persistent()) idle_before_ns = now_ns - kGoneForLongNs;
  if (ask_for_an_idle_one(CloseReason::kReclaim, idle_before_ns, shm::Owners::kAny)) {
    pool_.record().starved_waits.fetch_add(1, std::memory_order_relaxed);
  }
}

// Whoever holds what this queue waits for and is dead is buried here if nobody else does it. The
// daemon sees a process end and buries at once, so it is left to it while it lives, unless it is
// very late. Without it: at the second look, a slice later, so that the dead one's sockets are
// closed.
void Acquire::bury_the_dead(int64_t now_ns) {
  const Lane& lane = pool_.lane();
  std::vector<Suspect> dead;
  const auto judge = [&](shm::OwnerId owner) {
    const auto is_same = [&](const Suspect& suspect) { return suspect.owner == owner; };
    if (!owner || owner == lane.id() || std::any_of(dead.begin(), dead.end(), is_same) ||
        !lane.process().liveness().dead(owner)) {
      return;
    }
    const auto known = std::find_if(suspects_.begin(), suspects_.end(), is_same);
    dead.push_back({owner, known != suspects_.end() ? known->since_ns : now_ns});
  };
  shm::for_each_slot(lane.view(), pool_.record(), [&](uint32_t, shm::SlotRecord& slot) {
    const SlotWord word = shm::load_slot(slot);
    if (word.owned()) judge(word.owner());
  });
  const shm::TicketRecord* head =
      lane.view().ticket(pool_.record().head.load(std::memory_order_relaxed));
  if (head != nullptr) judge(shm::OwnerId{head->owner.load(std::memory_order_relaxed)});

  suspects_ = std::move(dead);
  if (suspects_.empty()) return;
  static_assert(shm::kSocketsCloseNs <= kSliceNs / 2);
  const int64_t respite_ns = lane.process().daemon_lives() ? kDaemonIsLateNs : shm::kSocketsCloseNs;
  for (const Suspect& suspect : suspects_) {
    if (now_ns - suspect.since_ns < respite_ns) continue;
    shm::PoolLock lock(lane.view(), pool_.record(), lane.lock_context(), lock_patience_ns());
    shm::Burial burial;
    if (lock.held()) shm::bury_lane_at_pool(lock, suspect.owner, &burial);
  }
}

}  // namespace oxpool
