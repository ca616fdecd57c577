// A lock that was not free at once: looking again, waiting in line, giving up.
#include <algorithm>
#include <utility>

#include "client/mutex.h"
#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/ring.h"

namespace oxpool {

using shm::MutexWord;
using shm::Turn;
using shm::WaitWord;

namespace {

constexpr int64_t kSliceNs = 100 * shm::kNanosPerMilli;
// The first look after the one at the beginning comes sooner: a holder that is found dead was dead
// before, and of two who closed a ring together each may have missed the other.
constexpr int64_t kEarlySliceNs = 10 * shm::kNanosPerMilli;
// Nobody has to be told of a signal meanwhile.
constexpr int64_t kLongSliceNs = 10 * kSliceNs;
// Between the two steps of being given the lock; what is left of the time, when its giver is off
// its processor.
constexpr int64_t kGivenSliceNs = shm::kNanosPerMilli;
// Somebody is stopped between the two: whoever must leave now, leaves this life.
constexpr int64_t kGivenPatienceNs = shm::kNanosPerSecond;

void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Status Mutex::lock_slowly(int64_t timeout_ns, Interrupt interrupt, void* context) {
  const int64_t started_ns = lane_.process().shared_monotonic_ns();
  waited_ns_ = 0;
  if (!lane_.still_usable()) return lane_.unusable_status();
  if (state_ != State::kOut) return deadlock("");
  lane_.process().tend_session();
  if (const Status refused = refusal(); refused != Status::kOk) return refused;
  if (lock_at_once() || spin()) return has_waited();
  if (timeout_ns == 0) {
    // Who found it held may still find it free: of one who is dead.
    const bool freed =
        shm::free_from_dead_holder(lane_.view(), record_, lane_.process().liveness());
    if (const Status refused = refusal(); refused != Status::kOk) return refused;
    return freed && lock_at_once() ? has_waited() : Status::kSaturated;
  }
  const int64_t deadline_ns =
      timeout_ns == kForever ? shm::kNoDeadline : shm::deadline_after(started_ns, timeout_ns);
  if (!join(deadline_ns)) return Status::kCapacity;
  const Status outcome = wait(deadline_ns, interrupt, context);
  waited_ns_ = lane_.process().shared_monotonic_ns() - started_ns;
  return outcome;
}

Status Mutex::deadlock(std::string ring) {
  ring_ = std::move(ring);
  lane_.view().header().deadlocks.fetch_add(1, std::memory_order_relaxed);
  return Status::kDeadlock;
}

// What stands against anybody's having it.
Status Mutex::refusal() const {
  const MutexWord word = shm::load_mutex(record_);
  if (word.has(MutexWord::kRemoved)) return Status::kRemoved;
  if (word.has(MutexWord::kCorrupted)) return Status::kCorrupted;
  return Status::kOk;
}

Status Mutex::has_waited() {
  shm::count(seat_.contended);
  return Status::kOk;
}

// Holders are inside for microseconds as a rule; the looks become rarer, so that the holder is left
// its line of memory.
bool Mutex::spin() {
  int pauses = 1;
  for (int look = 0; look < spins_; ++look) {
    for (int i = 0; i < pauses; ++i) spin_pause();
    if (pauses < 16) pauses *= 2;
    if (lock_at_once()) return true;
  }
  return false;
}

bool Mutex::join(int64_t deadline_ns) {
  ticket_ = lane_.take_ticket();
  if (ticket_ == shm::kNoIndex) return false;
  state_ = State::kWaiting;
  first_since_ns_ = 0;
  look_at_ns_ = 0;
  lane_.mutex_waits_.push_back(this);
  shm::join_mutex(lane_.view(), record_,
                  {ticket_, me_, lane_.process().shared_monotonic_ns(), deadline_ns});
  return true;
}

Status Mutex::wait(int64_t deadline_ns, Interrupt interrupt, void* context) {
  const int64_t slice_ns = interrupt != nullptr ? kSliceNs : kLongSliceNs;
  bool pending = false;  // something may have come up since the caller was last asked
  for (;;) {
    const int64_t now_ns = lane_.process().shared_monotonic_ns();
    const bool asks = first_since_ns_ != 0 && now_ns - first_since_ns_ >= shm::kTurnNs;
    WaitWord sleep_on;
    bool first = false;
    const Turn turn = shm::look_at_mutex(lane_.view(), record_, ticket_, asks, &sleep_on, &first);
    if (turn != Turn::kWaits) {
      Status ended;
      if (ends(turn, sleep_on, &ended)) return ended;
      continue;
    }
    if (now_ns >= deadline_ns) {
      if (give_up()) return Status::kTimeout;
      continue;
    }
    if (!lane_.still_usable()) {
      end_wait();
      return lane_.unusable_status();
    }
    if (pending && interrupt != nullptr) {
      pending = false;
      if (!interrupt(context)) discard();
      if (state_ != State::kWaiting) return Status::kInterrupted;  // also when it ended all waits
      continue;
    }
    if (is_in_a_ring(now_ns, slice_ns)) return Status::kDeadlock;
    sleep(sleep_on, std::min({left_of_turn_ns(now_ns, first), slice_ns, look_at_ns_ - now_ns,
                              deadline_ns - now_ns}));
    pending = true;
  }
}

// False: it is not over yet, look again.
bool Mutex::ends(Turn turn, WaitWord sleep_on, Status* ended) {
  switch (turn) {
    case Turn::kLocked:
      shm::leave_mutex_queue(lane_.view(), record_, ticket_);
      end_wait();
      has_locked();
      *ended = removed() ? Status::kRemoved : has_waited();
      if (*ended == Status::kRemoved) unlock();
      return true;
    case Turn::kGiven:
      // Its giver is off its processor between two steps, or dead.
      sleep(sleep_on, kGivenSliceNs);
      shm::look_after_mutex(lane_.view(), record_, lane_.process().liveness());
      return false;
    case Turn::kStopped:
      *ended = refusal();
      return *ended != Status::kOk && give_up();
    case Turn::kLost:
      end_wait();
      lane_.mark_fenced();
      *ended = Status::kFenced;
      return true;
    case Turn::kWaits:
      break;
  }
  return false;
}

// The first in line counts its time from when it knows that it is.
int64_t Mutex::left_of_turn_ns(int64_t now_ns, bool first) {
  if (!first) {
    first_since_ns_ = 0;
    return shm::kNoDeadline;
  }
  if (first_since_ns_ == 0) first_since_ns_ = now_ns;
  const int64_t left_ns = first_since_ns_ + shm::kTurnNs - now_ns;
  return left_ns > 0 ? left_ns : shm::kNoDeadline;
}

void Mutex::sleep(WaitWord sleep_on, int64_t most_ns) {
  shm::futex_wait(ticket().wait_word, sleep_on.low_half(), most_ns);
}

// Looked for when the wait begins to sleep, and again now and then: of two who join at the same
// time each may miss the other. With it, for what the dead have left.
bool Mutex::is_in_a_ring(int64_t now_ns, int64_t slice_ns) {
  if (now_ns < look_at_ns_) return false;
  const bool again = look_at_ns_ != 0;
  look_at_ns_ = now_ns + (again ? slice_ns : kEarlySliceNs);
  const shm::Liveness& liveness = lane_.process().liveness();
  if (again) {
    lane_.process().tend_session();
    shm::look_after_mutex(lane_.view(), record_, liveness);
  }
  std::string names;
  if (!shm::is_last_of_a_ring(lane_.view(), liveness, ticket_, &names) || !give_up()) return false;
  deadlock(std::move(names));
  return true;
}

// False: the lock is this lane's by now, or about to be.
bool Mutex::give_up() {
  if (!shm::give_up_mutex(lane_.view(), record_, ticket_)) return false;
  end_wait();
  return true;
}

void Mutex::end_wait() {
  if (lane_.usable()) lane_.drop_ticket(ticket_);
  ticket_ = shm::kNoIndex;
  state_ = State::kOut;
  auto& waits = lane_.mutex_waits_;
  waits.erase(std::remove(waits.begin(), waits.end(), this), waits.end());
}

void Mutex::cancel_wait() {
  if (state_ != State::kWaiting) return;
  const int64_t until_ns = shm::deadline_after(shm::monotonic_ns(), kGivenPatienceNs);
  while (lane_.usable() && !give_up()) {
    WaitWord sleep_on;
    bool first;
    const Turn turn = shm::look_at_mutex(lane_.view(), record_, ticket_, false, &sleep_on, &first);
    if (turn == Turn::kLocked) {
      shm::leave_mutex_queue(lane_.view(), record_, ticket_);
      end_wait();
      unlock();
      return;
    }
    if (shm::monotonic_ns() >= until_ns) lane_.mark_fenced();
    if (turn == Turn::kGiven) {
      shm::look_after_mutex(lane_.view(), record_, lane_.process().liveness());
      sleep(sleep_on, kGivenSliceNs);
    }
  }
  if (state_ == State::kWaiting) end_wait();
}

}  // namespace oxpool
