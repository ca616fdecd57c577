#include "shm/mutex_lock.h"

#include <algorithm>

#include "shm/futex.h"
#include "shm/mutex_table.h"

namespace oxpool::shm {

namespace {

// Each turn of a loop over one word means that somebody else changed it. So many in a row only
// where somebody scribbles.
constexpr int kMostTurns = 1000;
// As long as a burier waits for one who is in the middle of giving the lock to a dead lane.
constexpr int kTurnsInHand = 100;

WaitWord load_wait(const TicketRecord& ticket) {
  return WaitWord{ticket.wait_word.load(std::memory_order_seq_cst)};
}

bool decide(TicketRecord& ticket, WaitWord from, WaitWord to) {
  return ticket.wait_word.compare_exchange_strong(from.raw, to.raw, std::memory_order_seq_cst);
}

bool is_here(const SegmentView& view, const MutexRecord& mutex, const TicketRecord& ticket) {
  return ticket.queue_mutex.load(std::memory_order_acquire) == view.index_of(mutex) + 1;
}

OwnerId owner_of(const TicketRecord& ticket) {
  return OwnerId{ticket.owner.load(std::memory_order_relaxed)};
}

bool lane_is_gone(const SegmentView& view, OwnerId owner) {
  if (!owner || owner.incarnation() > OwnerId::kMaxIncarnation) return true;
  const LaneRecord* lane = view.lane(owner.lane());
  return lane == nullptr ||
         lane->incarnation.load(std::memory_order_acquire) != owner.incarnation();
}

// What a grant's wait word has of its giver: its lane, and enough of the incarnation.
uint32_t mark_of(OwnerId giver) { return static_cast<uint32_t>(giver.raw); }

// A grant whose giver has the lock no more, and did not give it away: the giver died in between.
bool is_void(WaitWord wait, OwnerId owner, MutexWord word) {
  return wait.state() == WaitState::kGranted && word.owner() != owner &&
         wait.slot() != mark_of(word.owner());
}

WaitWord again(WaitWord wait) { return WaitWord::make(WaitState::kWaiting, wait.round() + 1); }

bool waits_here(const SegmentView& view, const MutexRecord& mutex, const TicketRecord& ticket) {
  return is_here(view, mutex, ticket) && load_wait(ticket).state() == WaitState::kWaiting &&
         !lane_is_gone(view, owner_of(ticket));
}

// The ticket that has waited longest; kNoIndex when nobody waits. While the one that was first
// waits, nobody can come before it: numbers only grow.
uint32_t first_in_line(const SegmentView& view, MutexRecord& mutex) {
  const uint32_t hint = mutex.head.load(std::memory_order_relaxed);
  const TicketRecord* known = view.ticket(hint);
  if (known != nullptr && waits_here(view, mutex, *known)) return hint;
  uint32_t first = kNoIndex;
  uint64_t lowest = UINT64_MAX;
  for_each_ticket(view, [&](uint32_t index, TicketRecord& ticket) {
    if (!is_here(view, mutex, ticket) || lane_is_gone(view, owner_of(ticket))) return;
    const WaitWord wait = load_wait(ticket);
    if (is_void(wait, owner_of(ticket), load_mutex(mutex))) {
      if (!decide(ticket, wait, again(wait))) return;
    } else if (wait.state() != WaitState::kWaiting) {
      return;
    }
    const uint64_t number = ticket.number.load(std::memory_order_relaxed);
    if (first != kNoIndex && number >= lowest) return;
    first = index;
    lowest = number;
  });
  mutex.head.store(first, std::memory_order_relaxed);
  return first;
}

// Its wait word changes, so that one who is about to sleep does not.
void wake(TicketRecord& ticket) {
  const WaitWord wait = load_wait(ticket);
  if (wait.state() == WaitState::kWaiting) decide(ticket, wait, again(wait));
  futex_wake(ticket.wait_word, 1);
}

void wake_first(const SegmentView& view, MutexRecord& mutex) {
  TicketRecord* first = view.ticket(first_in_line(view, mutex));
  if (first != nullptr) wake(*first);
}

enum class Given { kYes, kNotWaiting, kFenced };
Given hand_over(MutexRecord& mutex, TicketRecord& ticket, OwnerId me) {
  const WaitWord wait = load_wait(ticket);
  const OwnerId owner = owner_of(ticket);
  if (wait.state() != WaitState::kWaiting || !owner) return Given::kNotWaiting;
  if (!decide(ticket, wait, WaitWord::make(WaitState::kGranted, wait.round(), mark_of(me)))) {
    return Given::kNotWaiting;
  }
  for (MutexWord word = load_mutex(mutex); word.owner() == me; word = load_mutex(mutex)) {
    const MutexWord given =
        word.with_owner(owner).without(MutexWord::kNudged | MutexWord::kHandOver);
    if (!change_mutex(mutex, word, given)) continue;
    futex_wake(ticket.wait_word, 1);
    return Given::kYes;
  }
  return Given::kFenced;
}

// Calls visit(ticket) for the tickets with which the lane waits here, or was given the lock and has
// not come to know it.
template <typename Visit>
void for_each_ticket_of(const SegmentView& view, const MutexRecord& mutex, OwnerId lane,
                        Visit visit) {
  const auto look = [&](uint32_t index) {
    TicketRecord* ticket = view.ticket(index);
    if (ticket != nullptr && owner_of(*ticket) == lane && is_here(view, mutex, *ticket)) {
      visit(*ticket);
    }
  };
  if (lane.lane() < view.count(kLaneTable)) look(lane.lane());
  const uint32_t tickets = view.high_water(kTicketTable);
  for (uint32_t i = view.count(kLaneTable); i < tickets; ++i) look(i);
}

bool has_not_come_to_know(const SegmentView& view, const MutexRecord& mutex, OwnerId lane) {
  bool found = false;
  for_each_ticket_of(view, mutex, lane, [&](TicketRecord&) { found = true; });
  return found;
}

// The dead one has the lock. If it came to know of that it may have begun to do things that belong
// together; if it was given the lock and died before it looked, nothing has happened.
bool free_from(const SegmentView& view, MutexRecord& mutex, OwnerId dead) {
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const MutexWord word = load_mutex(mutex);
    if (word.owner() != dead) return false;
    const bool corrupt = mutex.on_owner_death.load(std::memory_order_relaxed) !=
                             static_cast<uint32_t>(OnOwnerDeath::kRecover) &&
                         !has_not_come_to_know(view, mutex, dead);
    MutexWord freed = word.with_owner(kNobody).without(MutexWord::kNudged | MutexWord::kHandOver);
    if (corrupt) freed = freed.with(MutexWord::kCorrupted);
    if (!change_mutex(mutex, word, freed)) continue;
    if (corrupt) {
      wake_all_at_mutex(view, mutex);
    } else {
      wake_first(view, mutex);
    }
    return true;
  }
  return false;
}

}  // namespace

bool unlock_mutex(const SegmentView& view, MutexRecord& mutex, OwnerId me) {
  for (;;) {
    const MutexWord word = load_mutex(mutex);
    if (word.owner() != me) return false;
    const MutexWord freed = word.with_owner(kNobody);
    constexpr uint64_t kAsked = MutexWord::kWaiters | MutexWord::kNudged | MutexWord::kHandOver;
    if (!word.has(MutexWord::kWaiters) || word.has(MutexWord::kRemoved)) {
      if (change_mutex(mutex, word, freed.without(kAsked))) return true;
      continue;
    }
    TicketRecord* first = view.ticket(first_in_line(view, mutex));
    if (first == nullptr) {
      // Nobody, as it seems. W goes while the lock is still held, and is set again when somebody
      // has come meanwhile: who comes after it went sets it, and who came before it is seen.
      if (change_mutex(mutex, word, word.without(kAsked)) &&
          first_in_line(view, mutex) != kNoIndex) {
        mutex.lock.fetch_or(MutexWord::kWaiters, std::memory_order_seq_cst);
      }
      continue;
    }
    if (word.has(MutexWord::kHandOver)) {
      switch (hand_over(mutex, *first, me)) {
        case Given::kYes:
          return true;
        case Given::kNotWaiting:
          continue;
        case Given::kFenced:
          return false;
      }
    }
    if (!change_mutex(mutex, word, freed.with(MutexWord::kNudged))) continue;
    if (!word.has(MutexWord::kNudged)) wake(*first);
    return true;
  }
}

void join_mutex(const SegmentView& view, MutexRecord& mutex, const Wait& wait) {
  TicketRecord& ticket = *view.ticket(wait.ticket);
  ticket.owner.store(wait.owner.raw, std::memory_order_relaxed);
  ticket.since_ns.store(wait.since_ns, std::memory_order_relaxed);
  ticket.deadline_ns.store(wait.deadline_ns, std::memory_order_relaxed);
  ticket.place.store(wait.place, std::memory_order_relaxed);
  ticket.number.store(mutex.next_number.fetch_add(1, std::memory_order_relaxed),
                      std::memory_order_relaxed);
  ticket.queue_mutex.store(view.index_of(mutex) + 1, std::memory_order_relaxed);
  // From here it waits: the record above is complete (release). Then W, so that whoever unlocks
  // looks for it; in this order, and its unlocker clears W before it looks.
  ticket.wait_word.store(again(load_wait(ticket)).raw, std::memory_order_seq_cst);
  mutex.lock.fetch_or(MutexWord::kWaiters, std::memory_order_seq_cst);
}

Turn look_at_mutex(const SegmentView& view, MutexRecord& mutex, uint32_t index, bool asks,
                   WaitWord* sleep_on, bool* first) {
  TicketRecord& ticket = *view.ticket(index);
  const OwnerId me = owner_of(ticket);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const WaitWord wait = load_wait(ticket);
    const MutexWord word = load_mutex(mutex);
    *sleep_on = wait;
    if (word.owner() == me) return Turn::kLocked;
    if (wait.state() == WaitState::kGranted) {
      if (!is_void(wait, me, word)) return Turn::kGiven;
      decide(ticket, wait, again(wait));
      continue;
    }
    if (wait.state() != WaitState::kWaiting) return Turn::kLost;
    if (word.has(MutexWord::kCorrupted | MutexWord::kRemoved)) return Turn::kStopped;
    *first = first_in_line(view, mutex) == index;
    MutexWord next = word.with(MutexWord::kWaiters);
    if (word.open()) next = next.with_owner(me);
    // It looks now; what unlocks after this wakes it again.
    if (*first) next = next.without(MutexWord::kNudged);
    if (*first && word.open()) next = next.without(MutexWord::kHandOver);
    if (*first && !word.open() && asks) next = next.with(MutexWord::kHandOver);
    if (next != word && !change_mutex(mutex, word, next)) continue;
    return word.open() ? Turn::kLocked : Turn::kWaits;
  }
  return Turn::kWaits;
}

void leave_mutex_queue(const SegmentView& view, MutexRecord& mutex, uint32_t index) {
  TicketRecord& ticket = *view.ticket(index);
  // First: from here its owner knows what it has (has_not_come_to_know).
  ticket.queue_mutex.store(0, std::memory_order_release);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const WaitWord wait = load_wait(ticket);
    if (decide(ticket, wait, WaitWord::make(WaitState::kCancelled, wait.round()))) break;
  }
  // Whoever is first now counts its time from now.
  wake_first(view, mutex);
}

bool give_up_mutex(const SegmentView& view, MutexRecord& mutex, uint32_t index) {
  TicketRecord& ticket = *view.ticket(index);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const WaitWord wait = load_wait(ticket);
    const MutexWord word = load_mutex(mutex);
    const OwnerId me = owner_of(ticket);
    if (word.owner() == me) return false;
    if (wait.state() == WaitState::kGranted) {
      if (!is_void(wait, me, word)) return false;
      decide(ticket, wait, again(wait));
      continue;
    }
    if (wait.state() == WaitState::kWaiting &&
        !decide(ticket, wait, WaitWord::make(WaitState::kCancelled, wait.round()))) {
      continue;
    }
    ticket.queue_mutex.store(0, std::memory_order_release);
    if (mutex.head.load(std::memory_order_relaxed) == index) {
      // Whatever it was woken for, or asked for, is for the next one now.
      mutex.lock.fetch_and(~(MutexWord::kNudged | MutexWord::kHandOver), std::memory_order_seq_cst);
      wake_first(view, mutex);
    }
    return true;
  }
  return false;
}

bool free_from_dead_holder(const SegmentView& view, MutexRecord& mutex, const Liveness& liveness) {
  const OwnerId owner = load_mutex(mutex).owner();
  return owner && liveness.dead(owner) && free_from(view, mutex, owner);
}

void look_after_mutex(const SegmentView& view, MutexRecord& mutex, const Liveness& liveness) {
  free_from_dead_holder(view, mutex, liveness);
  const TicketRecord* first = view.ticket(first_in_line(view, mutex));
  const OwnerId owner = first != nullptr ? owner_of(*first) : kNobody;
  uint32_t tickets = 0;
  if (owner && liveness.dead(owner)) bury_lane_at_mutex(view, mutex, owner, &liveness, &tickets);
}

bool bury_lane_at_mutex(const SegmentView& view, MutexRecord& mutex, OwnerId lane,
                        const Liveness* liveness, uint32_t* tickets) {
  // No ticket of it may be given the lock any more; then the lock; and only then the tickets go,
  // as they tell that the dead one did not know that it had the lock.
  bool in_hand = false;
  for_each_ticket_of(view, mutex, lane, [&](TicketRecord& ticket) {
    if (in_hand) return;
    for (int turn = 0; turn < kTurnsInHand; ++turn) {
      const WaitWord wait = load_wait(ticket);
      const MutexWord word = load_mutex(mutex);
      in_hand =
          wait.state() == WaitState::kGranted && word.owner() != lane && !is_void(wait, lane, word);
      if (in_hand) {
        // It is being given the lock at this moment, or its giver died as well.
        if (turn == 0 && liveness != nullptr) free_from_dead_holder(view, mutex, *liveness);
        continue;
      }
      if (wait.state() != WaitState::kWaiting && wait.state() != WaitState::kGranted) return;
      if (decide(ticket, wait, WaitWord::make(WaitState::kCancelled, wait.round()))) return;
    }
  });
  if (in_hand) return false;
  free_from(view, mutex, lane);
  bool was_first = false;
  for_each_ticket_of(view, mutex, lane, [&](TicketRecord& ticket) {
    ticket.queue_mutex.store(0, std::memory_order_release);
    was_first = true;
    ++*tickets;
  });
  if (was_first) {
    mutex.lock.fetch_and(~(MutexWord::kNudged | MutexWord::kHandOver), std::memory_order_seq_cst);
    wake_first(view, mutex);
  }
  return true;
}

void wake_all_at_mutex(const SegmentView& view, MutexRecord& mutex) {
  for_each_ticket(view, [&](uint32_t, TicketRecord& ticket) {
    if (is_here(view, mutex, ticket)) wake(ticket);
  });
}

void close_mutex(const SegmentView& view, MutexRecord& mutex) {
  mutex.lock.fetch_or(MutexWord::kRemoved, std::memory_order_seq_cst);
  wake_all_at_mutex(view, mutex);
}

bool reset_mutex(MutexRecord& mutex) {
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const MutexWord word = load_mutex(mutex);
    if (!word.has(MutexWord::kCorrupted)) return false;
    if (change_mutex(mutex, word, word.without(MutexWord::kCorrupted))) return true;
  }
  return false;
}

std::string mutex_name(const MutexRecord& mutex) {
  const uint32_t bytes = std::min(mutex.name_bytes.load(std::memory_order_relaxed), kNameBytes);
  return {mutex.name, bytes};
}

}  // namespace oxpool::shm
