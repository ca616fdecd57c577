#include "shm/queue.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/gate.h"
#include "shm/gated.h"
#include "shm/rebalance.h"
#include "shm/slot.h"

namespace oxpool::shm {

namespace {

// Written only under the pool's lock; seq_cst as slot.h explains.
void store_pressure(PoolRecord& pool, uint32_t waiting, uint32_t excess) {
  pool.pressure.store(PressureWord::make(waiting, excess).raw, std::memory_order_seq_cst);
}
void add_waiting(PoolRecord& pool, int change) {
  const PressureWord now = load_pressure(pool);
  const uint32_t waiting =
      change < 0 && now.waiting() == 0 ? 0 : now.waiting() + static_cast<uint32_t>(change);
  store_pressure(pool, waiting, now.excess());
}

void update_head_age(const PoolLock& lock) {
  const TicketRecord* head = lock.view().ticket(lock.pool().head.load(std::memory_order_relaxed));
  lock.pool().head_since_ns.store(
      head != nullptr ? head->since_ns.load(std::memory_order_relaxed) : 0,
      std::memory_order_relaxed);
}

WaitWord load_wait(const TicketRecord& ticket) {
  return WaitWord{ticket.wait_word.load(std::memory_order_seq_cst)};
}

// Deciding a wait: seq_cst, so that the loser sees what the winner wrote before.
bool decide(TicketRecord& ticket, WaitWord waiting, WaitWord outcome) {
  return ticket.wait_word.compare_exchange_strong(waiting.raw, outcome.raw,
                                                  std::memory_order_seq_cst);
}

// A cheap look that needs no system call: burial and detach change the lane's incarnation.
bool lane_is_gone(const SegmentView& view, OwnerId owner) {
  if (!owner || owner.incarnation() > OwnerId::kMaxIncarnation) return true;  // no slot can name it
  const LaneRecord* lane = view.lane(owner.lane());
  return lane == nullptr ||
         lane->incarnation.load(std::memory_order_acquire) != owner.incarnation();
}

void retire_excess(const PoolLock& lock) {
  PressureWord pressure = load_pressure(lock.pool());
  uint32_t index;
  while (pressure.excess() > 0 &&
         take_free(lock.view(), lock.pool(), SlotWord::retired(), &index) != nullptr) {
    pressure = PressureWord::make(pressure.waiting(), pressure.excess() - 1);
    store_pressure(lock.pool(), pressure.waiting(), pressure.excess());
  }
}

enum class GrantResult { kGranted, kNoUnit, kCancelled };
// Gives one free unit to a ticket: slot word first, then the wait word, which alone decides.
// `owner` is the ticket's as it was looked at: whoever scribbles may have put nobody there since.
GrantResult grant(const PoolLock& lock, uint32_t ticket_index, TicketRecord& ticket, OwnerId owner,
                  WaitWord waiting) {
  const SlotWord granted = SlotWord::make(SlotState::kGranted, owner);
  uint32_t index;
  SlotRecord* slot = take_free(lock.view(), lock.pool(), granted, &index);
  if (slot == nullptr) return GrantResult::kNoUnit;
#ifndef OXPOOL_REORDERED_STORE
  slot->ticket.store(ticket_index, std::memory_order_relaxed);
#endif
  if (!decide(ticket, waiting, WaitWord::make(WaitState::kGranted, waiting.round(), index))) {
    free_slot(lock.view(), lock.pool(), index, granted);
    return GrantResult::kCancelled;
  }
#ifdef OXPOOL_REORDERED_STORE  // broken on purpose, for tests/crash alone, which must find it
  slot->ticket.store(ticket_index, std::memory_order_relaxed);
#endif
  return GrantResult::kGranted;
}

}  // namespace

WaitWord enqueue(const PoolLock& lock, const Wait& wait) {
  PoolRecord& pool = lock.pool();
  TicketRecord& ticket = *lock.view().ticket(wait.ticket);
  const uint32_t pool_index = lock.view().index_of(pool);

  ticket.owner.store(wait.owner.raw, std::memory_order_relaxed);
  ticket.since_ns.store(wait.since_ns, std::memory_order_relaxed);
  ticket.deadline_ns.store(wait.deadline_ns, std::memory_order_relaxed);
  ticket.place.store(wait.place, std::memory_order_relaxed);
  ticket.number.store(pool.next_number.fetch_add(1, std::memory_order_relaxed),
                      std::memory_order_relaxed);
  ticket.queue_pool.store(pool_index + 1, std::memory_order_relaxed);
  const WaitWord waiting = WaitWord::make(WaitState::kWaiting, load_wait(ticket).round() + 1);
  // From here repair finds the ticket, linked or not: the record above is complete (release).
  ticket.wait_word.store(waiting.raw, std::memory_order_seq_cst);

  const uint32_t tail = pool.tail.load(std::memory_order_relaxed);
  ticket.next.store(kNoIndex, std::memory_order_relaxed);
  ticket.previous.store(tail, std::memory_order_relaxed);
  if (TicketRecord* last = lock.view().ticket(tail)) {
    last->next.store(wait.ticket, std::memory_order_relaxed);
  } else {
    pool.head.store(wait.ticket, std::memory_order_relaxed);
  }
  pool.tail.store(wait.ticket, std::memory_order_relaxed);
  update_head_age(lock);
  add_waiting(pool, +1);  // last: whoever releases now sees a head with its age
  return waiting;
}

void unlink(const PoolLock& lock, uint32_t index) {
  PoolRecord& pool = lock.pool();
  TicketRecord* ticket = lock.view().ticket(index);
  if (ticket == nullptr ||
      ticket->queue_pool.load(std::memory_order_relaxed) != lock.view().index_of(pool) + 1) {
    return;
  }
  const uint32_t previous = ticket->previous.load(std::memory_order_relaxed);
  const uint32_t next = ticket->next.load(std::memory_order_relaxed);
  if (TicketRecord* before = lock.view().ticket(previous)) {
    before->next.store(next, std::memory_order_relaxed);
  } else {
    pool.head.store(next, std::memory_order_relaxed);
  }
  if (TicketRecord* after = lock.view().ticket(next)) {
    after->previous.store(previous, std::memory_order_relaxed);
  } else {
    pool.tail.store(previous, std::memory_order_relaxed);
  }
  add_waiting(pool, -1);
  // Last, with release: the ticket's lane may use it again for another pool once it reads 0.
  ticket->queue_pool.store(0, std::memory_order_release);
  update_head_age(lock);
}

uint32_t serve(const PoolLock& lock) {
  const SegmentView& view = lock.view();
  PoolRecord& pool = lock.pool();
  if (pool.cap.load(std::memory_order_relaxed) != wanted_cap(pool)) settle_cap(lock);
  retire_excess(lock);

  uint32_t granted = 0;
  if (load_gate(pool).raw != 0) return 0;  // whoever opens it serves
  // Every turn unlinks a ticket or ends: bounded by the table, also when the list was scribbled on.
  for (uint32_t turn = 0; turn < view.count(kTicketTable); ++turn) {
    const uint32_t head = pool.head.load(std::memory_order_relaxed);
    TicketRecord* ticket = view.ticket(head);
    if (ticket == nullptr) break;
    const WaitWord waiting = load_wait(*ticket);
    const OwnerId owner{ticket->owner.load(std::memory_order_relaxed)};
    const bool waits = waiting.state() == WaitState::kWaiting && !lane_is_gone(view, owner);
    if (waits) {
      const GrantResult result = grant(lock, head, *ticket, owner, waiting);
      if (result == GrantResult::kNoUnit) break;
      if (result == GrantResult::kGranted) ++granted;
    }
    unlink(lock, head);
    if (waits) futex_wake(ticket->wait_word, 1);
  }
  return granted;
}

void settle_pressure(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                     int64_t patience_ns) {
  if (load_pressure(pool).raw == 0) return;
  PoolLock lock(view, pool, context, patience_ns);
  if (lock.held()) serve(lock);
}

bool cancel_wait(TicketRecord& ticket, WaitWord waiting) {
  return decide(ticket, waiting, WaitWord::make(WaitState::kCancelled, waiting.round()));
}

bool accept_grant(SlotRecord& slot, OwnerId me) {
  if (!slot_move(slot, SlotWord::make(SlotState::kGranted, me),
                 SlotWord::make(SlotState::kReserved, me))) {
    return false;
  }
  // Until it is free again it is this lane's. Repair takes a ticket that is named here, and whose
  // wait word names the slot, for one that has not accepted yet; the lane may wait with others.
  slot.ticket.store(kNoIndex, std::memory_order_relaxed);
  return true;
}

uint32_t wanted_cap(const PoolRecord& pool) {
  const uint32_t by_operator = pool.operator_max_size.load(std::memory_order_relaxed);
  const uint32_t by_workers = pool.settings.max_size.load(std::memory_order_relaxed);
  return std::min(by_operator != 0 ? by_operator : by_workers, kMaxSlotsPerPool);
}

void settle_cap(const PoolLock& lock) {
  PoolRecord& pool = lock.pool();
  const uint32_t wanted = wanted_cap(pool);
  uint32_t units = 0;
  for_each_slot(lock.view(), pool, [&](uint32_t, SlotRecord& slot) {
    if (load_slot(slot).state() != SlotState::kRetired) ++units;
  });
  for_each_slot(lock.view(), pool, [&](uint32_t index, SlotRecord& slot) {
    if (units >= wanted) return;
    ChunkRecord* chunk = lock.view().chunk_of(pool, index / kSlotsPerChunk);
    if (chunk == nullptr) return;  // the list was scribbled on since for_each_slot looked
    if (!slot_move(slot, SlotWord::retired(), SlotWord::free())) return;
    chunk->free_hint.fetch_or(1u << (index % kSlotsPerChunk), std::memory_order_seq_cst);
    ++units;
  });
  store_pressure(pool, load_pressure(pool).waiting(), units > wanted ? units - wanted : 0);
  wake_gated(pool, static_cast<int>(kMaxLanes));
  pool.cap.store(wanted, std::memory_order_relaxed);
  retire_excess(lock);
  const uint32_t excess = load_pressure(pool).excess();
  for (uint32_t i = 0; i < excess; ++i) {
    if (!flag_needed_last(lock.view(), pool, kNobody, CloseReason::kReclaim, kNoDeadline,
                          coarse_ns(), excess)) {
      break;
    }
  }
}

}  // namespace oxpool::shm
