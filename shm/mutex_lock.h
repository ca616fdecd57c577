// Taking a mutex of the users, waiting for it, and giving it back.
#pragma once

#include <cstdint>
#include <string>

#include "shm/clock.h"
#include "shm/liveness.h"
#include "shm/queue.h"
#include "shm/segment.h"
#include "shm/value.h"

namespace oxpool::shm {

// The lock word (mutex_word.h) alone says who has a mutex. Who waits has a ticket that says so of
// itself; there is no list of them, so there is none to repair: the first in line is the one with
// the lowest number, which MutexRecord::head remembers.
//
// Whoever comes may take a free mutex although others wait (barging: it costs a third of waking
// somebody). So that nobody starves, the first in line asks after kTurnNs for the lock to be handed
// to it, and the next unlock does so:
//
//   1. its ticket: WAITING → GRANTED, with the giver's name    from here it cannot leave
//   2. the lock word: giver → ticket's owner                   from here it has the lock
//
// Death between the two leaves a grant by one who has the lock no more: void, and the ticket's
// owner, who notices that, waits on at its old place.
//
// All accesses to lock words and wait words that decide are seq_cst, for the reason that slot.h
// gives: who waits writes its ticket and then looks at the lock word, who unlocks writes the lock
// word and then looks at the tickets.

// How long the first in line lets others pass.
inline constexpr int64_t kTurnNs = kNanosPerMilli;

inline MutexWord load_mutex(const MutexRecord& mutex) {
  return MutexWord{mutex.lock.load(std::memory_order_seq_cst)};
}
inline bool change_mutex(MutexRecord& mutex, MutexWord from, MutexWord to) {
  return mutex.lock.compare_exchange_strong(from.raw, to.raw, std::memory_order_seq_cst);
}

// Takes the mutex if nobody has it and nothing stands against it, whoever waits. Wait-free.
inline bool lock_if_open(MutexRecord& mutex, OwnerId me) {
  const MutexWord word{mutex.lock.load(std::memory_order_relaxed)};
  return word.open() && change_mutex(mutex, word, word.with_owner(me));
}

// Gives it back where nobody is to be woken for it. False: look closer (unlock).
inline bool unlock_at_once(MutexRecord& mutex, OwnerId me) {
  const MutexWord word{mutex.lock.load(std::memory_order_relaxed)};
  const uint64_t asked = word.raw & (MutexWord::kWaiters | MutexWord::kNudged |
                                     MutexWord::kHandOver | MutexWord::kRemoved);
  if (word.owner() != me || (asked != 0 && asked != (MutexWord::kWaiters | MutexWord::kNudged))) {
    return false;
  }
  return change_mutex(mutex, word, word.with_owner(kNobody));
}

// Gives it back, or to the first in line. False: it was not `me`'s (fenced).
bool unlock_mutex(const SegmentView& view, MutexRecord& mutex, OwnerId me);

// Makes the ticket wait for the mutex. `wait.ticket` is the lane's and waits for nothing. The
// caller then looks at the lock word, and sleeps on the ticket's wait word.
void join_mutex(const SegmentView& view, MutexRecord& mutex, const Wait& wait);

enum class Turn {
  kWaits,    // sleep on the ticket's wait word while it is *sleep_on
  kLocked,   // the mutex is the ticket's owner's; leave_mutex_queue is called
  kGiven,    // it is being given to it by somebody who has not come to the end of that: look again
  kStopped,  // corrupted or removed: the lock word says which
  kLost,     // the ticket's owner was buried
};
// Where the ticket stands; takes the mutex when it is open. `asks`: it has been the first in line
// for its time and wants the mutex handed to it. *first says whether it is the first in line.
Turn look_at_mutex(const SegmentView& view, MutexRecord& mutex, uint32_t ticket, bool asks,
                   WaitWord* sleep_on, bool* first);

// The ticket waits no more, after kLocked: the next in line is told that it is first.
void leave_mutex_queue(const SegmentView& view, MutexRecord& mutex, uint32_t ticket);

// The ticket gives up. False: it is being given the mutex, or has it: look again.
bool give_up_mutex(const SegmentView& view, MutexRecord& mutex, uint32_t ticket);

// When the mutex's holder is dead: the lock is free, or corrupted, as the mutex was made, and who
// waits goes on. True: it was. One system call when somebody else has it.
bool free_from_dead_holder(const SegmentView& view, MutexRecord& mutex, const Liveness& liveness);

// What keeps the mutex from who waits for it: frees it from a dead holder, and drops the first in
// line if that one is dead. Two system calls at most, when nobody is.
void look_after_mutex(const SegmentView& view, MutexRecord& mutex, const Liveness& liveness);

// Everything of one dead lane at the mutex: its lock and its tickets, whose number is added to
// *tickets. For burial; idempotent. False: somebody is giving it the lock and does not come to the
// end of that; call again later. `liveness` may be null.
bool bury_lane_at_mutex(const SegmentView& view, MutexRecord& mutex, OwnerId lane,
                        const Liveness* liveness, uint32_t* tickets);

// Wakes everybody who waits, to look at the lock word.
void wake_all_at_mutex(const SegmentView& view, MutexRecord& mutex);

// Nobody gets it any more; who has it goes on to the end of its hold. For mutex_table.cc.
void close_mutex(const SegmentView& view, MutexRecord& mutex);

// A corrupted mutex is usable again, with its id and its last committed value. False: it was not
// corrupted. Lock-free; any thread.
bool reset_mutex(MutexRecord& mutex);

// The mutex's name, at most kNameBytes, any bytes.
std::string mutex_name(const MutexRecord& mutex);

}  // namespace oxpool::shm
