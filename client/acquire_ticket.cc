// An Acquire's place in the queue: having a ticket, joining, leaving.
#include <algorithm>

#include "client/acquire.h"
#include "shm/clock.h"
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

bool Acquire::take_ticket() {
  if (ticket_ == shm::kNoIndex) ticket_ = pool_.lane().take_ticket();
  return ticket_ != shm::kNoIndex;
}

void Acquire::drop_ticket() {
  Lane& lane = pool_.lane();
  if (ticket_ == shm::kNoIndex) return;
  if (ticket_ != lane.id().lane()) {
    // An extra ticket goes back unlinked; one that cannot be unlinked in time stays the lane's.
    if (ticket().queue_pool.load(std::memory_order_acquire) != 0) leave_queue();
    if (ticket().queue_pool.load(std::memory_order_acquire) == 0) {
      lane.drop_ticket(ticket_);
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
