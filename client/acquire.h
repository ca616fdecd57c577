// One acquire that could not be served from the lane's own idle stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/pool.h"
#include "shm/rebalance.h"

namespace oxpool {

enum class Next {
  kReuse,  // slot is in use now: hand it out
  kMint,   // slot is reserved: run the factory, then Pool::minted or Pool::mint_failed
  kClose,  // slot is closing: destroy its resource, Pool::finish_close, then step again
  kWait,   // a slice of waiting is over: run what is pending (signals, attention), step again
  kTimeout,
  kSaturated,  // only of an acquire that does not wait
  kDeadlock,   // only of one that waits without limit: it would wait for itself
  kCapacity,   // no ticket left
  kCrowded,    // as many wait already as may
  kClosed,
  kLost,  // fenced or forked: lane().unusable_status() says which
};

// Thread safety: one thread, the lane's. Must be destroyed, cancelled, or given up by
// Lane::cancel_waits() (which is for frames that were jumped over) before its pool is.
class Acquire {
 public:
  static constexpr int64_t kForever = -1;
  // As long as anybody sleeps in a queue before it looks whether something keeps units from it.
  static constexpr int64_t kSliceNs = 100 * shm::kNanosPerMilli;

  // `timeout_ns`: 0 = do not wait, kForever = wait without limit. `started_ns` (CLOCK_MONOTONIC) is
  // when the caller's call began; the deadline is counted from there. `again`: what an earlier one
  // of the same call came to was no good, so past the deadline nothing is begun any more.
  Acquire(Pool& pool, int64_t timeout_ns, int64_t started_ns, bool again = false);
  ~Acquire() { cancel(); }
  Acquire(const Acquire&) = delete;
  Acquire& operator=(const Acquire&) = delete;

  struct Step {
    Next next;
    LocalSlot* slot = nullptr;
  };
  // Goes on until something is decided or is to be done, or one slice of waiting is over. Sleeps at
  // most `slice_ns`. After kTimeout and later results it is not to be called again.
  Step step(int64_t slice_ns);

  // Leaves the queue; a unit that was granted meanwhile goes back. Idempotent.
  void cancel();
  // cancel(), counted as an acquire that was ended from outside (signal handler, time limit).
  void interrupt();

  // The source line that waits, for who looks from outside: a hash from shm::note_place. Before the
  // first step.
  void note_place(uint64_t place) { place_ = place; }

  bool queued() const { return queued_; }
  int64_t waited_ns() const;

  // One sentence for a failed acquire: pool, what happened, in use, idle, minting, closing,
  // waiting, max, milliseconds waited.
  std::string describe(Next outcome) const;

 private:
  friend class Lane;
  // An owner in a loop comes back sooner than this: its idle slot is not asked for.
  static constexpr int64_t kIdleLongEnoughNs = 20 * shm::kNanosPerMilli;
  // The first slices are shorter: what had just come back when the wait began has been idle for
  // long enough then, if its owner stays away; and of several who asked at once one may have got
  // nothing.
  static constexpr int64_t kEarlySliceNs = 25 * shm::kNanosPerMilli;
  static constexpr int kEarlySlices = 3;
  static constexpr int64_t kGoneForLongNs = 250 * shm::kNanosPerMilli;

  Step start();
  Step try_without_waiting();
  enum class Joined { kYes, kNotInTime, kCrowded };
  Joined join_queue();
  Joined join_queue_under_lock();
  Step take_own_idle();
  Step look();
  Step accept(shm::WaitWord word);
  Step minting(uint32_t index);
  Step give_up();
  Step end_with(shm::Counter outcome, Next next);
  shm::Gate gate() const;
  void leave_queue();
  void forget();
  void look_after_the_queue();
  void bury_the_dead(int64_t now_ns);
  bool ask_for_an_idle_one(shm::CloseReason reason, int64_t idle_before_ns, shm::Owners owners);
  void ask_those_who_stay_away();
  bool holds_everything_itself() const;
  bool waits_for_itself();
  bool take_ticket();
  void drop_ticket();
  void count_wait(shm::Counter outcome);
  void count_deadlock();
  int64_t left_ns() const;
  // As long as anything waits for a lock, and not past the deadline.
  int64_t lock_patience_ns() const;
  shm::TicketRecord& ticket() const { return *pool_.lane().view().ticket(ticket_); }

  Pool& pool_;
  const int64_t timeout_ns_;
  const int64_t started_ns_;
  const int64_t deadline_ns_;
  bool tried_;  // a first attempt is made whatever the time, a further one only in time
  bool queued_ = false;
  uint32_t ticket_ = shm::kNoIndex;
  uint64_t place_ = 0;
  shm::WaitWord waiting_{};
  // The head of the queue as of the last slice, and for how many slices it has stood there.
  uint64_t last_head_number_ = 0;
  uint32_t still_slices_ = 0;
  int early_slices_ = 0;
  uint32_t turn_ = 0;
  std::string ring_;  // that it closed
  int64_t last_look_ns_ = 0;
  struct Suspect {
    shm::OwnerId owner;
    int64_t since_ns;
  };
  std::vector<Suspect> suspects_;  // seen dead in the last look
  Acquire* older_ = nullptr;       // next in Lane::waits_
};

// A good slice: short enough for `interruptible` callers to notice signals, longer the more are
// waiting, so that a thousand sleepers cost next to nothing.
int64_t wait_slice_ns(const Pool& pool, bool interruptible);

}  // namespace oxpool
