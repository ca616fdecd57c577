// An Acquire's place in the queue: having a ticket, joining, leaving.
#include <algorithm>
#include <utility>

#include "client/acquire.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/queue.h"

namespace oxpool {

using shm::CloseReason;

namespace {

// A wait that is over still wants the queue's lock for an instant.
constexpr int64_t kLeaveLockNs = 10 * shm::kNanosPerMilli;

bool is_crowded(const shm::PoolRecord& pool) {
  return shm::load_pressure(pool).waiting() >
         pool.settings.max_waiting.load(std::memory_order_relaxed);
}

}  // namespace

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

Acquire::Joined Acquire::join_queue() {
  const Joined joined = join_queue_under_lock();
  // After it: whose owner sleeps is told by a system call.
  if (joined == Joined::kYes) {
    ask_those_who_stay_away();
    early_slices_ = kEarlySlices;
  }
  return joined;
}

Acquire::Joined Acquire::join_queue_under_lock() {
  Lane& lane = pool_.lane();
  shm::PoolLock lock(lane.view(), pool_.record(), lane.lock_context(),
                     std::clamp<int64_t>(left_ns(), 0, kSliceNs));
  if (!lock.held()) return Joined::kNotInTime;
  const int64_t now_ns = lane.process().shared_monotonic_ns();
  const int64_t deadline_ns = timeout_ns_ == kForever
                                  ? shm::kNoDeadline
                                  : shm::deadline_after(now_ns, std::max<int64_t>(left_ns(), 0));
  waiting_ = shm::enqueue(lock, {ticket_, lane.id(), now_ns, deadline_ns, place_});
  shm::serve(lock);  // counted first, looking second: see slot.h
  // Only now is it known whether it has to wait at all.
  if (is_crowded(pool_.record()) && shm::cancel_wait(ticket(), waiting_)) {
    shm::unlink(lock, ticket_);
    return Joined::kCrowded;
  }
  queued_ = true;
  older_ = lane.waits_;
  lane.waits_ = this;
  last_look_ns_ = now_ns;
  return Joined::kYes;
}

// Takes a decided ticket out of the list. Without the lock in time it stays, and goes when the next
// one who has the lock comes by.
void Acquire::leave_queue() {
  const Lane& lane = pool_.lane();
  shm::PoolLock lock(lane.view(), pool_.record(), lane.lock_context(), kLeaveLockNs);
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

}  // namespace oxpool
