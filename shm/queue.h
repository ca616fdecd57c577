// A pool's queue: joining it, leaving it, and giving free units to its head.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

struct Wait {
  uint32_t ticket = kNoIndex;
  OwnerId owner;
  int64_t since_ns = 0;
  int64_t deadline_ns = 0;  // kNoDeadline = unlimited
  uint64_t place = 0;       // from note_place (place.h); 0 = not noted
};

// Calls visit(index, ticket) for every ticket that was ever used: those of the lanes, then the
// further ones.
template <typename Visit>
void for_each_ticket(const SegmentView& view, Visit visit) {
  const uint32_t lanes = view.count(kLaneTable);
  const uint32_t lanes_used = view.high_water(kLaneTable);
  for (uint32_t i = 0; i < lanes_used; ++i) visit(i, *view.ticket(i));
  const uint32_t used = view.high_water(kTicketTable);
  for (uint32_t i = lanes; i < used; ++i) visit(i, *view.ticket(i));
}

// Puts the ticket at the tail: its record first, then the links, then the pressure. The caller then
// calls serve under the same lock (it counted itself, now it looks for free units).
// Returns the wait word to sleep on.
WaitWord enqueue(const PoolLock& lock, const Wait& wait);

// Gives free units to waiting tickets in order of arrival, retires units above the cap, drops
// cancelled and dead tickets from the head. Returns the number of units granted.
uint32_t serve(const PoolLock& lock);

// Takes the ticket out of the pool's queue if it is in there.
void unlink(const PoolLock& lock, uint32_t ticket);

// What everybody does who has freed a unit: look whether somebody needs it, and if so serve under
// the lock. A lock that can not be had within `patience_ns` is left to the waiters, who look
// again at every slice of their sleep.
void settle_pressure(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                     int64_t patience_ns = kLockPatienceNs);

// WAITING → CANCELLED by the waiter, without a lock. False: it was granted first.
bool cancel_wait(TicketRecord& ticket, WaitWord waiting);

// GRANTED → RESERVED by the ticket's lane. False: fenced.
bool accept_grant(SlotRecord& slot, OwnerId me);

// The cap that the pool's settings ask for: an operator's value stands above the workers'.
uint32_t wanted_cap(const PoolRecord& pool);

// Brings the number of units in line with wanted_cap: makes retired ones free, or retires free ones
// and counts the rest as excess, to be retired when they come back (idle ones are flagged).
// Idempotent.
void settle_cap(const PoolLock& lock);

}  // namespace oxpool::shm
