#include "shm/ring.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "shm/slot.h"

namespace oxpool::shm {

namespace {

class Search {
 public:
  explicit Search(const SegmentView& view) : view_(view) {}

  // What the lane waits for joins the search. False: it does not wait, or not without limit.
  bool add_lane(OwnerId lane) {
    if (std::find(lanes_.begin(), lanes_.end(), lane) != lanes_.end()) return true;
    lanes_.push_back(lane);
    bool waits = false;
    // Its own ticket, or others when it waits within a wait; which of them is the inner one is not
    // known, so all must be without limit, and all pools belong to the search.
    const uint32_t extra = view_.count(kLaneTable);
    if (!add_ticket(lane.lane(), lane, &waits)) return false;
    for (uint32_t i = extra; i < view_.high_water(kTicketTable); ++i) {
      if (!add_ticket(i, lane, &waits)) return false;
    }
    return waits;
  }

  // Every holder of every pool waits.
  bool holders_wait() {
    for (size_t i = 0; i < pools_.size(); ++i) {
      const PoolRecord* pool = view_.pool(pools_[i]);
      if (pool == nullptr || !holders_wait(*pool)) return false;
    }
    return true;
  }

  bool nothing_has_changed() const {
    return std::all_of(seen_.begin(), seen_.end(), [](const auto& seen) {
      return seen.first->load(std::memory_order_seq_cst) == seen.second;
    });
  }

  // Whose units come back by burial. Asked last: it costs a system call each.
  bool nobody_is_dead(const Liveness& liveness) const {
    return std::none_of(lanes_.begin(), lanes_.end(),
                        [&](OwnerId lane) { return liveness.dead(lane); });
  }

  bool began_last(const TicketRecord& mine) const { return since(mine) == last_; }

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

  // False: the lane waits with this ticket, and not without limit.
  bool add_ticket(uint32_t index, OwnerId lane, bool* waits) {
    const TicketRecord* ticket = view_.ticket(index);
    if (ticket == nullptr || ticket->owner.load(std::memory_order_acquire) != lane.raw) return true;
    if (WaitWord{note(ticket->wait_word)}.state() != WaitState::kWaiting) return true;
    const uint32_t pool = ticket->queue_pool.load(std::memory_order_acquire);
    if (ticket->deadline_ns.load(std::memory_order_relaxed) != kNoDeadline || pool == 0) return false;
    if (std::find(pools_.begin(), pools_.end(), pool - 1) == pools_.end()) {
      pools_.push_back(pool - 1);
    }
    last_ = std::max(last_, since(*ticket));
    *waits = true;
    return true;
  }

  bool holders_wait(const PoolRecord& pool) {
    bool all = true;
    bool any = false;
    for_each_slot(view_, pool, [&](uint32_t, SlotRecord& slot) {
      if (!all) return;
      const SlotWord word{note(slot.word)};
      switch (word.state()) {
        case SlotState::kRetired:
          return;
        case SlotState::kReserved:
        case SlotState::kInUse:
        case SlotState::kClosing:
          any = true;
          all = add_lane(word.owner());
          return;
        default:
          all = false;
      }
    });
    return all && any;
  }

  const SegmentView& view_;
  std::vector<OwnerId> lanes_;
  std::vector<uint32_t> pools_;
  std::vector<std::pair<const Word64*, uint64_t>> seen_;
  Since last_{};
};

}  // namespace

bool is_last_of_a_ring(const SegmentView& view, const Liveness& liveness, uint32_t index) {
  const TicketRecord* mine = view.ticket(index);
  if (mine == nullptr) return false;
  Search search(view);
  return search.add_lane(OwnerId{mine->owner.load(std::memory_order_relaxed)}) &&
         search.holders_wait() && search.began_last(*mine) && search.nothing_has_changed() &&
         search.nobody_is_dead(liveness);
}

}  // namespace oxpool::shm
