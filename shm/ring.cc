#include "shm/ring.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "shm/clock.h"
#include "shm/inspection.h"
#include "shm/mutex_lock.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool::shm {

namespace {

class Search {
 public:
  Search(const SegmentView& view, OwnerId me) : view_(view), me_(me) {}

  // What the lane waits for joins the search. False: it does not wait, or not in a way that counts.
  bool add_lane(OwnerId lane) {
    if (std::find(lanes_.begin(), lanes_.end(), lane) != lanes_.end()) return true;
    lanes_.push_back(lane);
    bool waits = false;
    // Its own ticket, or others when it waits within a wait; which of them is the inner one is not
    // known, so all must count, and all that they wait for belongs to the search.
    const uint32_t extra = view_.count(kLaneTable);
    if (!add_ticket(lane.lane(), lane, &waits)) return false;
    for (uint32_t i = extra; i < view_.high_water(kTicketTable); ++i) {
      if (!add_ticket(i, lane, &waits)) return false;
    }
    return waits;
  }

  // Every holder of everything waits, and one of them is the lane that asks.
  bool holders_wait() {
    size_t pools = 0;
    size_t mutexes = 0;
    while (pools < pools_.size() || mutexes < mutexes_.size()) {
      const bool waits = mutexes < mutexes_.size() ? holder_waits(mutexes_[mutexes++])
                                                   : holders_wait(pools_[pools++]);
      if (!waits) return false;
    }
    return comes_round_;
  }

  // Who has what first, and then whether they still wait: who is seen waiting last of all has not
  // got back meanwhile what it had given away before.
  bool nothing_has_changed() const {
    return std::all_of(
               holders_.begin(), holders_.end(),
               [](const auto& seen) { return load_mutex(*seen.first).owner() == seen.second; }) &&
           std::all_of(seen_.begin(), seen_.end(), [](const auto& seen) {
             return seen.first->load(std::memory_order_seq_cst) == seen.second;
           });
  }

  // What they have comes back by burial. Asked last: it costs a system call each.
  bool nobody_is_dead(const Liveness& liveness) const {
    return std::none_of(lanes_.begin(), lanes_.end(),
                        [&](OwnerId lane) { return liveness.dead(lane); });
  }

  bool began_last(const TicketRecord& mine) const { return since(mine) == last_; }

  std::string names() const {
    std::string text;
    for (const auto& [mutex, holder] : holders_) {
      if (!text.empty()) text += "; ";
      text += "mutex '" + mutex_name(*mutex) + "', which " + name_of(holder) + " has";
    }
    for (const uint32_t index : pools_) {
      if (!text.empty()) text += "; ";
      text += "pool '" + pool_name(*view_.pool(index)) + "', whose units they have";
    }
    return text;
  }

 private:
  using Since = std::pair<int64_t, uint64_t>;  // the owner decides between two of one instant

  static Since since(const TicketRecord& ticket) {
    return {ticket.since_ns.load(std::memory_order_relaxed),
            ticket.owner.load(std::memory_order_relaxed)};
  }

  uint64_t note(const Word64& word) {
    const uint64_t value = word.load(std::memory_order_seq_cst);
    seen_.emplace_back(&word, value);
    return value;
  }

  std::string name_of(OwnerId lane) const {
    return lane == me_ ? "this worker" : "worker " + worker_name(view_, lane).text();
  }

  template <typename Index>
  static void add_once(std::vector<Index>& to, Index index) {
    if (std::find(to.begin(), to.end(), index) == to.end()) to.push_back(index);
  }

  // False: the lane waits with this ticket, and not in a way that counts.
  bool add_ticket(uint32_t index, OwnerId lane, bool* waits) {
    const TicketRecord* ticket = view_.ticket(index);
    if (ticket == nullptr || ticket->owner.load(std::memory_order_acquire) != lane.raw) return true;
    const WaitWord word{note(ticket->wait_word)};
    const uint32_t mutex = ticket->queue_mutex.load(std::memory_order_acquire);
    if (mutex != 0) {
      if (word.state() != WaitState::kWaiting) return false;  // it has the lock, or is leaving
      add_once(mutexes_, Edge{mutex - 1, lane});
    } else {
      if (word.state() != WaitState::kWaiting) return true;
      const uint32_t pool = ticket->queue_pool.load(std::memory_order_acquire);
      if (ticket->deadline_ns.load(std::memory_order_relaxed) != kNoDeadline || pool == 0) {
        return false;
      }
      add_once(pools_, pool - 1);
    }
    last_ = std::max(last_, since(*ticket));
    *waits = true;
    return true;
  }

  bool add_holder(OwnerId holder) {
    comes_round_ |= holder == me_;
    return add_lane(holder);
  }

  struct Edge {
    uint32_t mutex;
    OwnerId waiter;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  bool holder_waits(Edge edge) {
    const MutexRecord* mutex = view_.mutex(edge.mutex);
    if (mutex == nullptr) return false;
    const MutexWord word = load_mutex(*mutex);
    // Free, or nobody's any more; or just taken by the one who waits.
    if (!word.owner() || word.owner() == edge.waiter || word.has(MutexWord::kRemoved)) return false;
    holders_.emplace_back(mutex, word.owner());
    return add_holder(word.owner());
  }

  bool holders_wait(uint32_t index) {
    const PoolRecord* pool = view_.pool(index);
    if (pool == nullptr) return false;
    bool all = true;
    bool any = false;
    for_each_slot(view_, *pool, [&](uint32_t, SlotRecord& slot) {
      if (!all) return;
      const SlotWord word{note(slot.word)};
      switch (word.state()) {
        case SlotState::kRetired:
          return;
        case SlotState::kReserved:
        case SlotState::kInUse:
        case SlotState::kClosing:
          any = true;
          all = add_holder(word.owner());
          return;
        default:
          all = false;
      }
    });
    return all && any;
  }

  const SegmentView& view_;
  const OwnerId me_;
  bool comes_round_ = false;
  std::vector<OwnerId> lanes_;
  std::vector<uint32_t> pools_;
  std::vector<Edge> mutexes_;
  std::vector<std::pair<const Word64*, uint64_t>> seen_;
  std::vector<std::pair<const MutexRecord*, OwnerId>> holders_;
  Since last_{};
};

}  // namespace

bool is_last_of_a_ring(const SegmentView& view, const Liveness& liveness, uint32_t index,
                       std::string* names) {
  const TicketRecord* mine = view.ticket(index);
  if (mine == nullptr) return false;
  const OwnerId me{mine->owner.load(std::memory_order_relaxed)};
  Search search(view, me);
  const bool last = search.add_lane(me) && search.holders_wait() && search.began_last(*mine) &&
                    search.nothing_has_changed() && search.nobody_is_dead(liveness);
  if (last && names != nullptr) *names = search.names();
  return last;
}

}  // namespace oxpool::shm
