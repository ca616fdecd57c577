#include "client/acquire.h"

#include <algorithm>
#include <utility>

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/lane.h"
#include "shm/queue.h"

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
// An owner in a loop comes back sooner than this: its idle slot is not asked for.
constexpr int64_t kIdleLongEnoughNs = 20 * shm::kNanosPerMilli;
// A call that does not wait, or waits no more, still wants the queue's lock for an instant.
constexpr int64_t kTryLockNs = 10 * shm::kNanosPerMilli;

}  // namespace

int64_t wait_slice_ns(const Pool& pool, bool interruptible) {
  if (interruptible) return Acquire::kSliceNs;
  const uint32_t waiting = shm::load_pressure(pool.record()).waiting();
  return Acquire::kSliceNs * std::clamp(waiting / kWaitersPerSlice, 1u, kMaxSlices);
}

Acquire::Acquire(Pool& pool, int64_t timeout_ns, int64_t started_ns)
    : pool_(pool),
      timeout_ns_(timeout_ns),
      started_ns_(started_ns),
      deadline_ns_(timeout_ns == kForever ? shm::kNoDeadline
                                          : shm::deadline_after(started_ns, timeout_ns)) {
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
  if (pool_.idle_top_ != nullptr) return take_own_idle();
  shm::futex_wait(ticket().wait_word, waiting_.low_half(), std::min(slice_ns, left_ns()));
  if (const Step seen = look(); seen.next != Next::kWait) return seen;
  if (left_ns() <= 0) return give_up();
  look_after_the_queue();
  return look();
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
  if (LocalSlot* slot = pool_.reuse_idle()) return {Next::kReuse, slot};
  if (LocalSlot* slot = pool_.take_flagged()) return {Next::kClose, slot};
  if (LocalSlot* slot = pool_.reuse_idle()) return {Next::kReuse, slot};  // its flag was void
  if (!pool_.lane().usable()) return {Next::kLost};
  if (tried_ && timeout_ns_ != 0 && left_ns() <= 0) return give_up();
  tried_ = true;

  pool_.lane().process().tend_session();
  if (shm::load_pressure(pool_.record()).raw == 0) {
    uint32_t index;
    const SlotWord reserved = SlotWord::make(SlotState::kReserved, pool_.lane().id());
    if (shm::take_free(pool_.lane().view(), pool_.record(), reserved, &index) != nullptr) {
      return minting(index);
    }
  }
  if (timeout_ns_ == 0) return try_without_waiting();
  if (timeout_ns_ == kForever && holds_everything_itself()) {
    shm::count(pool_.seat(), Counter::failed_deadlock);
    return {Next::kDeadlock};
  }
  if (!take_ticket()) {
    shm::count(pool_.seat(), Counter::failed_capacity);
    return {Next::kCapacity};
  }
  if (!join_queue()) return {Next::kWait};
  return look();
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
      if (shm::load_pressure(pool_.record()).waiting() == 0 &&
          shm::take_free(pool_.lane().view(), pool_.record(), reserved, &index) != nullptr) {
        return minting(index);
      }
    }
  }
  ask_for_an_idle_one(pool_.lane().process().shared_coarse_ns() - kIdleLongEnoughNs);
  shm::count(pool_.seat(), Counter::acquire_saturated);
  return {Next::kSaturated};
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

// The lane's own ticket, or a further one when an outer wait of this lane has it (a signal handler
// that acquires while acquire() waits) or an earlier wait is not unlinked yet.
bool Acquire::take_ticket() {
  if (ticket_ != shm::kNoIndex) return true;
  const Lane& lane = pool_.lane();
  const uint32_t own = lane.id().lane();
  const auto holds = [&](const Acquire* wait) { return wait->ticket_ == own; };
  bool taken = lane.view().ticket(own)->queue_pool.load(std::memory_order_acquire) != 0;
  for (const Acquire* wait = lane.waits_; wait != nullptr && !taken; wait = wait->older_) {
    taken = holds(wait);
  }
  ticket_ = taken ? take_extra_ticket() : own;
  return ticket_ != shm::kNoIndex;
}

uint32_t Acquire::take_extra_ticket() {
  Lane& lane = pool_.lane();
  for (uint32_t& left : lane.left_tickets_) {
    if (lane.view().ticket(left)->queue_pool.load(std::memory_order_acquire) != 0) continue;
    const uint32_t ticket = std::exchange(left, lane.left_tickets_.back());
    lane.left_tickets_.pop_back();
    return ticket;
  }
  return shm::claim_extra_ticket(lane.view(), lane.id());
}

void Acquire::drop_ticket() {
  Lane& lane = pool_.lane();
  if (ticket_ == shm::kNoIndex) return;
  if (ticket_ != lane.id().lane()) {
    // An extra ticket goes back unlinked; one that cannot be unlinked in time stays the lane's.
    if (ticket().queue_pool.load(std::memory_order_acquire) != 0) leave_queue();
    if (ticket().queue_pool.load(std::memory_order_acquire) == 0) {
      shm::release_ticket(lane.view(), ticket_);
    } else {
      lane.left_tickets_.push_back(ticket_);
    }
  }
  ticket_ = shm::kNoIndex;
}

bool Acquire::join_queue() {
  Lane& lane = pool_.lane();
  shm::PoolLock lock(lane.view(), pool_.record(), lane.lock_context(),
                     std::clamp<int64_t>(left_ns(), 0, kSliceNs));
  if (!lock.held()) return false;
  const int64_t now_ns = lane.process().shared_monotonic_ns();
  const int64_t deadline_ns = timeout_ns_ == kForever
                                  ? shm::kNoDeadline
                                  : shm::deadline_after(now_ns, std::max<int64_t>(left_ns(), 0));
  waiting_ = shm::enqueue(lock, {ticket_, lane.id(), now_ns, deadline_ns});
  queued_ = true;
  older_ = lane.waits_;
  lane.waits_ = this;
  last_look_ns_ = now_ns;
  shm::serve(lock);  // counted first, looking second: see slot.h
  ask_for_an_idle_one(now_ns - kIdleLongEnoughNs);
  return true;
}

void Acquire::ask_for_an_idle_one(int64_t idle_before_ns) {
  shm::PoolRecord& record = pool_.record();
  if (record.settings.rebalance.load(std::memory_order_relaxed) ==
      static_cast<uint32_t>(shm::Rebalance::kStrict)) {
    return;
  }
  const uint32_t wanted = std::max(shm::load_pressure(record).waiting(), 1u);
  shm::flag_longest_idle(pool_.lane().view(), record, pool_.lane().id(), CloseReason::kReclaim,
                         idle_before_ns, wanted);
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

Acquire::Step Acquire::give_up() {
  if (queued_ && !shm::cancel_wait(ticket(), waiting_))
    return look();  // granted at the last moment
  if (queued_) {
    forget();
    leave_queue();
  }
  drop_ticket();
  count_wait(Counter::acquire_timeout);
  return {Next::kTimeout};
}

void Acquire::count_wait(Counter outcome) {
  const int64_t waited = waited_ns();
  shm::count(pool_.seat(), outcome);
  shm::count(pool_.seat().counts.wait_buckets[shm::wait_bucket(waited)]);
  shm::count(pool_.seat(), Counter::wait_ns, static_cast<uint64_t>(waited));
}

// Takes a decided ticket out of the list. Without the lock in time it stays, and goes when the next
// one who has the lock comes by.
void Acquire::leave_queue() {
  const Lane& lane = pool_.lane();
  shm::PoolLock lock(lane.view(), pool_.record(), lane.lock_context(), kTryLockNs);
  if (!lock.held()) return;
  shm::unlink(lock, ticket_);
  shm::serve(lock);
}

void Acquire::forget() {
  if (!queued_) return;
  queued_ = false;
  for (Acquire** link = &pool_.lane().waits_; *link != nullptr; link = &(*link)->older_) {
    if (*link == this) {
      *link = older_;
      return;
    }
  }
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
      pool_.free_unit(pool_.local(word.slot()), SlotWord::make(SlotState::kGranted, lane.id()));
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
        return "every slot is held by this thread, which would wait for itself";
      case Next::kCapacity:
        return "capacity exceeded: no ticket left to wait with; raise limits.extra_tickets in "
               "oxpoold.toml";
      case Next::kClosed:
        return "closed for new acquires";
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
