// One lane's view of one mutex: its lock, and the value that only its holder changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/lane.h"
#include "client/status.h"
#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/seat.h"

namespace oxpool {

// What a caller does between two slices of a wait: signal handlers, time limits. It may use pools
// and other mutexes of the lane, and may wait for them. False ends the wait with kInterrupted. It
// may also be jumped out of: Lane::cancel_waits() or discard() then leaves the queue.
using Interrupt = bool (*)(void* context);

// A value as it lies in the segment, for as long as its reader has the lock and neither commits nor
// unlocks. Whoever scribbles there can change it under the reader, so nothing is to be believed by
// having been looked at before.
struct Value {
  uint64_t version = 0;  // another one after each commit; never 0 and never the same again
  std::string_view bytes;
};

// The library never runs user code while it holds any other lock of the segment, and knows nothing
// of what the bytes mean:
//
//   if (mutex.lock(Mutex::kForever, interrupt, context) == Status::kOk) {
//     const Value value = mutex.value();     // decode, unless value.version is what is known
//     already …                                      // the caller's code status =
//     mutex.commit(bytes);          // left out when nothing has changed mutex.unlock();
//   }                                        // else: mutex.describe(status) is the sentence
//
// Invariants:
//  1. held() means that this lane has the lock, unless it was buried: commit and unlock notice.
//  2. What others read, in or outside the lock, is a whole committed value, whoever dies when.
//  3. A lane has one Mutex object for a mutex, as a caller of Lane::attach_mutex sees to.
//
// Thread safety: one thread, the lane's.
class Mutex {
 public:
  static constexpr int64_t kForever = -1;
  // How often it is looked whether the lock is free before the wait begins. A measured
  // compromise (tests/bench): more of it makes two workers pass the lock's line to and fro.
  static constexpr int kSpins = 20;

  // Gives the seat back; a lock still held is given up without a commit.
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // `timeout_ns`: 0 = do not wait, kForever = wait without limit. With an `interrupt` a slice of
  // waiting is at most 100 ms, else up to a second. While nobody else wants the lock there is no
  // system call.
  //
  // kOk          the lock is held
  // kSaturated   timeout 0, and somebody has it
  // kTimeout     the deadline passed
  // kDeadlock    this lane has it already or waits for it already; or a ring of waits, which
  //              deadlock() names, would never end
  // kCorrupted   a holder died
  // kRemoved     the name was removed
  // kCapacity    no ticket left to wait with
  // kInterrupted `interrupt` said so
  // kFenced, kForked  this life is over
  Status lock(int64_t timeout_ns, Interrupt interrupt = nullptr, void* context = nullptr) {
    if (lane_.usable() && lock_at_once()) return Status::kOk;
    return lock_slowly(timeout_ns, interrupt, context);
  }
  bool held() const { return state_ == State::kHeld; }

  // Only while held. The first version of a value is 1.
  Value value() const;
  // Only while held: makes this the value, visible at once. Any bytes; they are copied. They may
  // not lie in value().bytes.
  //
  // kOk, kTooLarge (above limit_bytes()), kCapacity (no room in the segment), kUnavailable (a lock
  // of the segment could not be had: somebody is stopped inside), kFenced, kForked. On anything but
  // kOk the old value stays, and the lock is still held.
  Status commit(std::string_view bytes);
  // Only while held. False: this lane was buried meanwhile; nothing was done, and what it committed
  // since is not to be relied on.
  bool unlock() {
    state_ = State::kOut;
    if (!lane_.usable()) return false;
    if (shm::unlock_at_once(record_, me_)) return true;
    return unlock_slowly();
  }
  // Whatever goes on ends: a wait that was jumped out of leaves the queue, a held lock is free
  // again, nothing is committed. For fatal errors and ends of requests. Idempotent.
  void discard();

  // Any time, also without the lock and while others have it: the last committed value. False: it
  // could not be read whole, since it is being changed all the time or was scribbled on.
  bool copy_value(std::string* bytes, uint64_t* version = nullptr) const;
  // The version that copy_value would find. One load.
  uint64_t version() const { return shm::load_value(record_).version(); }

  bool corrupted() const { return shm::load_mutex(record_).has(shm::MutexWord::kCorrupted); }
  bool removed() const { return shm::load_mutex(record_).has(shm::MutexWord::kRemoved); }
  uint64_t id() const { return record_.id.load(std::memory_order_relaxed); }
  std::string name() const { return shm::mutex_name(record_); }
  // The longest value that is taken.
  uint32_t limit_bytes() const { return shm::value_limit_bytes(lane_.view()); }
  // How many wait for the lock, over the host.
  uint32_t waiters() const;

  // One sentence for a lock or commit that came to this: mutex, what happened, the way out.
  std::string describe(Status outcome) const;
  // The ring of the last kDeadlock: "mutex 'a', which this worker has; mutex 'b', which …"; empty
  // when this lane would have waited for itself.
  const std::string& ring() const { return ring_; }

  Lane& lane() const { return lane_; }
  shm::MutexRecord& record() const { return record_; }
  shm::MutexSeatRecord& seat() const { return seat_; }

  // For tests that follow every instruction: how often this object spins (kSpins).
  void set_spins(int spins) { spins_ = spins; }

 private:
  friend class Lane;
  Mutex(Lane& lane, shm::MutexRecord& record, shm::MutexSeatRecord& seat);

  enum class State : uint8_t { kOut, kWaiting, kHeld };

  bool lock_at_once() {
    if (state_ != State::kOut || !shm::lock_if_open(record_, me_)) return false;
    has_locked();
    return true;
  }
  void has_locked() {
    state_ = State::kHeld;
    shm::count(seat_.acquires);
    seat_.last_ns.store(lane_.process().shared_coarse_ns(), std::memory_order_relaxed);
  }
  bool unlock_slowly();
  Status lock_slowly(int64_t timeout_ns, Interrupt interrupt, void* context);
  Status deadlock(std::string ring);
  Status refusal() const;
  bool spin();
  bool join(int64_t deadline_ns);
  Status wait(int64_t deadline_ns, Interrupt interrupt, void* context);
  bool ends(shm::Turn turn, shm::WaitWord sleep_on, Status* ended);
  Status has_waited();
  void sleep(shm::WaitWord sleep_on, int64_t most_ns);
  int64_t left_of_turn_ns(int64_t now_ns, bool first);
  bool is_in_a_ring(int64_t now_ns, int64_t slice_ns);
  bool give_up();
  void end_wait();
  void cancel_wait();
  shm::TicketRecord& ticket() const { return *lane_.view().ticket(ticket_); }

  Lane& lane_;
  shm::MutexRecord& record_;
  shm::MutexSeatRecord& seat_;
  const shm::OwnerId me_;
  State state_ = State::kOut;
  int spins_ = kSpins;
  uint32_t ticket_ = shm::kNoIndex;  // while it waits
  int64_t first_since_ns_ = 0;       // since when it is the first in line; 0 = it is not
  int64_t look_at_ns_ = 0;           // when it next looks for rings and for the dead
  int64_t waited_ns_ = 0;            // in the last wait
  std::string ring_;
};

}  // namespace oxpool
