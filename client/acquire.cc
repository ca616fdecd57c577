#include "client/acquire.h"

#include <algorithm>
#include <utility>

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/lane.h"
#include "shm/queue.h"
#include "shm/ring.h"

namespace oxpool {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;
using shm::SlotWord;
using shm::WaitState;
using shm::WaitWord;

namespace {

constexpr uint32_t kWaitersPerSlice = 32;
constexpr uint32_t kMaxSlices = 10;
// A call that does not wait still wants the queue's lock for an instant.
constexpr int64_t kTryLockNs = 10 * shm::kNanosPerMilli;

bool refuses(shm::Gate gate) { return gate == shm::Gate::kFail || gate == shm::Gate::kDrained; }

}  // namespace

int64_t wait_slice_ns(const Pool& pool, bool interruptible) {
  if (interruptible) return Acquire::kSliceNs;
  const uint32_t waiting = shm::load_pressure(pool.record()).waiting();
  return Acquire::kSliceNs * std::clamp(waiting / kWaitersPerSlice, 1u, kMaxSlices);
}

Acquire::Acquire(Pool& pool, int64_t timeout_ns, int64_t started_ns, bool again)
    : pool_(pool),
      timeout_ns_(timeout_ns),
      started_ns_(started_ns),
      deadline_ns_(timeout_ns == kForever ? shm::kNoDeadline
                                          : shm::deadline_after(started_ns, timeout_ns)),
      tried_(again) {
  pool_.note_gap(pool_.lane().process().shared_coarse_ns());
}

int64_t Acquire::left_ns() const {
  return deadline_ns_ == shm::kNoDeadline ? shm::kNoDeadline : deadline_ns_ - shm::monotonic_ns();
}

int64_t Acquire::lock_patience_ns() const {
  return std::clamp<int64_t>(left_ns(), 0, shm::kLockPatienceNs);
}

int64_t Acquire::waited_ns() const { return shm::monotonic_ns() - started_ns_; }

Acquire::Step Acquire::step(int64_t slice_ns) {
  if (!pool_.lane().still_usable()) return {Next::kLost};
  if (!queued_) {
    const Step started = start();
    if (started.next != Next::kWait || queued_) return started;
    // The queue's lock could not be had within a slice: somebody is stopped inside it.
    return left_ns() <= 0 ? give_up() : started;
  }
  if (const Step seen = look(); seen.next != Next::kWait) return seen;
  if (pool_.idle_top_ != nullptr && shm::is_open(pool_.record())) return take_own_idle();
  if (early_slices_ > 0) slice_ns = std::min(slice_ns, kEarlySliceNs);
  shm::futex_wait(ticket().wait_word, waiting_.low_half(), std::min(slice_ns, left_ns()));
  if (const Step seen = look(); seen.next != Next::kWait) return seen;
  if (refuses(gate())) return end_with(Counter::acquire_closed, Next::kClosed);
  if (left_ns() <= 0) return give_up();
  look_after_the_queue();
  return waits_for_itself() ? Step{Next::kDeadlock} : look();
}

// Another fiber or a signal handler of this thread gave a slot back while this one waits: it needs
// no budget of others, and nobody else would ever give it this slot.
Acquire::Step Acquire::take_own_idle() {
  if (!shm::cancel_wait(ticket(), waiting_)) return look();
  forget();
  leave_queue();
  drop_ticket();
  return start();
}

Acquire::Step Acquire::start() {
  if (tried_ && timeout_ns_ > 0 && left_ns() <= 0) return give_up();
  // Before anything else, as it opens one whose time is over.
  if (refuses(gate())) return end_with(Counter::acquire_closed, Next::kClosed);
  if (LocalSlot* slot = pool_.reuse_idle()) return {Next::kReuse, slot};
  if (LocalSlot* slot = pool_.take_flagged()) return {Next::kClose, slot};
  if (LocalSlot* slot = pool_.reuse_idle()) return {Next::kReuse, slot};  // its flag was void
  if (!pool_.lane().usable()) return {Next::kLost};
  tried_ = true;

  pool_.lane().process().tend_session();
  if (shm::is_calm(pool_.record())) {
    uint32_t index;
    const SlotWord reserved = SlotWord::make(SlotState::kReserved, pool_.lane().id());
    if (shm::take_free(pool_.lane().view(), pool_.record(), reserved, &index) != nullptr) {
      return minting(index);
    }
  }
  if (timeout_ns_ == 0) return try_without_waiting();
  if (timeout_ns_ == kForever && holds_everything_itself()) {
    count_deadlock();
    return {Next::kDeadlock};
  }
  if (!take_ticket()) {
    shm::count(pool_.seat(), Counter::failed_capacity);
    return {Next::kCapacity};
  }
  switch (join_queue()) {
    case Joined::kYes:
      return waits_for_itself() ? Step{Next::kDeadlock} : look();
    case Joined::kNotInTime:
      return {Next::kWait};
    case Joined::kCrowded:
      break;
  }
  drop_ticket();
  shm::count(pool_.seat(), Counter::failed_max_waiting);
  return {Next::kCrowded};
}

Acquire::Step Acquire::minting(uint32_t index) {
  LocalSlot& slot = pool_.local(index);
  const bool waited = ticket_ != shm::kNoIndex;
  slot.waited_ns = waited ? waited_ns() : 0;
  slot.contended_since_ns = waited ? pool_.lane().process().shared_monotonic_ns() : 0;
  slot.contended_seen_ns = slot.contended_since_ns;
  slot.closing = CloseReason::kNone;
  drop_ticket();
  return {Next::kMint, &slot};
}

// Somebody waits, or the cap was lowered, or nothing is free: whoever came first is served first.
Acquire::Step Acquire::try_without_waiting() {
  if (shm::load_pressure(pool_.record()).raw != 0) {
    shm::PoolLock lock(pool_.lane().view(), pool_.record(), pool_.lane().lock_context(),
                       kTryLockNs);
    if (lock.held()) {
      shm::serve(lock);
      uint32_t index;
      const SlotWord reserved = SlotWord::make(SlotState::kReserved, pool_.lane().id());
      // Who waits, and what is above a lowered cap, were served first.
      if (shm::is_calm(pool_.record()) &&
          shm::take_free(pool_.lane().view(), pool_.record(), reserved, &index) != nullptr) {
        return minting(index);
      }
    }
  }
  // For the next attempt: nobody waits, so the flag must hold without that.
  ask_for_an_idle_one(CloseReason::kHandOver,
                      pool_.lane().process().shared_coarse_ns() - kIdleLongEnoughNs,
                      shm::Owners::kAny);
  shm::count(pool_.seat(), Counter::acquire_saturated);
  return {Next::kSaturated};
}

// Looked for once it is in the queue, where the others see it, and again after each slice: of two
// who join at the same time each may miss the other.
bool Acquire::waits_for_itself() {
  if (timeout_ns_ != kForever || !queued_ ||
      !shm::is_last_of_a_ring(pool_.lane().view(), pool_.lane().process().liveness(), ticket_,
                              &ring_)) {
    return false;
  }
  if (!shm::cancel_wait(ticket(), waiting_)) return false;  // served at the last moment
  forget();
  leave_queue();
  drop_ticket();
  count_deadlock();
  return true;
}

// Every unit of the pool is in this thread's own hands, so nobody could ever wake it.
bool Acquire::holds_everything_itself() const {
  bool all = true;
  uint32_t own = 0;
  shm::for_each_slot(pool_.lane().view(), pool_.record(), [&](uint32_t, shm::SlotRecord& slot) {
    const SlotWord word = shm::load_slot(slot);
    if (word.state() == SlotState::kRetired) return;
    if (word.owned() && word.owner() == pool_.lane().id()) {
      ++own;
    } else {
      all = false;
    }
  });
  return all && own > 0;
}

Acquire::Step Acquire::look() {
  const WaitWord word{ticket().wait_word.load(std::memory_order_seq_cst)};
  if (word == waiting_) return {Next::kWait};
  return accept(word);
}

// The wait was decided: by a grant, or by somebody who took this lane for dead.
Acquire::Step Acquire::accept(WaitWord word) {
  forget();
  const Lane& lane = pool_.lane();
  if (word.state() == WaitState::kGranted && word.round() == waiting_.round()) {
    shm::SlotRecord* slot = lane.view().slot(pool_.record(), word.slot());
    if (slot != nullptr && shm::accept_grant(*slot, lane.id())) return minting(word.slot());
  }
  pool_.lane().mark_fenced();
  return {Next::kLost};
}

Acquire::Step Acquire::give_up() { return end_with(Counter::acquire_timeout, Next::kTimeout); }

Acquire::Step Acquire::end_with(Counter outcome, Next next) {
  if (queued_ && !shm::cancel_wait(ticket(), waiting_))
    return look();  // granted at the last moment
  if (queued_) {
    forget();
    leave_queue();
  }
  drop_ticket();
  count_wait(outcome);
  return {next};
}

shm::Gate Acquire::gate() const {
  if (shm::is_open(pool_.record())) return shm::Gate::kOpen;
  const Lane& lane = pool_.lane();
  return shm::settle_gate(lane.view(), pool_.record(), lane.lock_context(),
                          lane.process().shared_coarse_ns());
}

void Acquire::count_wait(Counter outcome) {
  const int64_t waited = waited_ns();
  shm::count(pool_.seat(), outcome);
  shm::count(pool_.seat().counts.wait_buckets[shm::wait_bucket(waited)]);
  shm::count(pool_.seat(), Counter::wait_ns, static_cast<uint64_t>(waited));
}

void Acquire::count_deadlock() {
  shm::count(pool_.seat(), Counter::failed_deadlock);
  pool_.lane().view().header().deadlocks.fetch_add(1, std::memory_order_relaxed);
}

void Acquire::cancel() {
  if (!queued_) {
    if (pool_.lane().usable()) drop_ticket();
    return;
  }
  forget();
  Lane& lane = pool_.lane();
  if (!lane.usable()) return;
  if (shm::cancel_wait(ticket(), waiting_)) {
    leave_queue();
  } else {
    const WaitWord word{ticket().wait_word.load(std::memory_order_seq_cst)};
    if (word.state() == WaitState::kGranted && word.round() == waiting_.round()) {
      LocalSlot& slot = pool_.local(word.slot());
      if (slot.record != nullptr && shm::accept_grant(*slot.record, lane.id())) {
        pool_.free_unit(slot, SlotWord::make(SlotState::kReserved, lane.id()));
      } else {
        lane.mark_fenced();
      }
    }
  }
  drop_ticket();
}

void Acquire::interrupt() {
  if (pool_.lane().usable()) shm::count(pool_.seat(), Counter::failed_interrupted);
  cancel();
}

std::string Acquire::describe(Next outcome) const {
  const auto reason = [&]() -> std::string {
    switch (outcome) {
      case Next::kTimeout:
        return "no slot within " + std::to_string(timeout_ns_ / shm::kNanosPerMilli) + " ms";
      case Next::kSaturated:
        return "saturated";
      case Next::kDeadlock:
        return !ring_.empty()
                   ? "whoever holds a slot waits without limit, for what this thread holds "
                     "or others who wait like it: " +
                         ring_
                   : "every slot is held by this thread, which would wait for itself";
      case Next::kCapacity:
        return "capacity exceeded: no ticket left to wait with; " +
               pool_.lane().process().way_to_more("extra_tickets");
      case Next::kClosed:
        return shm::load_gate(pool_.record()).gate() == shm::Gate::kDrained
                   ? "closed for new acquires, drained by an operator"
                   : "closed for new acquires, paused by an operator";
      case Next::kCrowded:
        return "no more than maxWaiting " +
               std::to_string(pool_.record().settings.max_waiting.load(std::memory_order_relaxed)) +
               " may wait";
      default:
        return "the wait was ended";
    }
  };
  const shm::PoolCounts counts = pool_.counts();
  return "pool '" + pool_.name() + "': " + reason() + " (in use " + std::to_string(counts.in_use) +
         ", idle " + std::to_string(counts.idle) + ", minting " + std::to_string(counts.minting) +
         ", closing " + std::to_string(counts.closing) + ", waiting " +
         std::to_string(counts.waiting) + ", max " + std::to_string(counts.max_size) + ", waited " +
         std::to_string(waited_ns() / shm::kNanosPerMilli) + " ms)";
}

}  // namespace oxpool
