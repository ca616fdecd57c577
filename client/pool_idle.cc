// A lane's idle stack at a pool: what leaves it for closing or for a look, and what comes back.
#include "client/pool.h"
#include "shm/clock.h"
#include "shm/locks.h"

namespace oxpool {

using shm::CloseReason;
using shm::SlotState;
using shm::SlotWord;

// IDLE → CLOSING, whatever flag somebody set meanwhile. False: fenced.
bool Pool::close_idle(LocalSlot& slot, CloseReason reason) {
  // At most one flag can come in between: a flagged slot is not flagged again.
  for (int tries = 0; tries < 3; ++tries) {
    const SlotWord word = shm::load_slot(*slot.record);
    if (word.state() != SlotState::kIdle || word.owner() != lane_.id()) break;
    if (shm::slot_move(*slot.record, word,
                       SlotWord::make(SlotState::kClosing, lane_.id(), reason))) {
      slot.closing = reason;
      return true;
    }
  }
  lose(slot);
  return false;
}

// Flags are hints: set by who could not know what has happened since.
bool Pool::flag_still_holds(const LocalSlot& slot, CloseReason reason) const {
  switch (reason) {
    case CloseReason::kIdleTimeout: {
      const auto timeout_ms =
          static_cast<int64_t>(record_.settings.idle_timeout_ms.load(std::memory_order_relaxed));
      const int64_t idle_ns = lane_.process().shared_coarse_ns() -
                              slot.record->changed_ns.load(std::memory_order_relaxed);
      return timeout_ms > 0 && idle_ns >= shm::nanos_of_millis(timeout_ms);
    }
    case CloseReason::kLifetime:
      return lane_.process().shared_coarse_ns() >= slot.expires_ns;
    case CloseReason::kDrain:
      return shm::load_gate(record_).gate() == shm::Gate::kDrained;
    case CloseReason::kReclaim:
      return shm::load_pressure(record_).raw != 0;
    default:
      return true;
  }
}

// IDLE → CLOSING for its age, unless too few idle ones would be left over the host. Under the lock,
// so that two owners do not both count the other's. Without the lock in time it stays: the
// scheduler asks again.
bool Pool::close_if_spared_ones_stay(LocalSlot& slot, const shm::LockContext& context,
                                     int64_t lock_patience_ns) {
  const uint32_t spared = record_.settings.min_idle.load(std::memory_order_relaxed);
  if (spared == 0) return close_idle(slot, CloseReason::kIdleTimeout);
  shm::PoolLock lock(lane_.view(), record_, context, lock_patience_ns);
  if (!lock.held() || counts().idle <= spared) return false;
  return close_idle(slot, CloseReason::kIdleTimeout);
}

LocalSlot* Pool::take_flagged() {
  if (!lane_.usable()) return nullptr;
  LocalSlot** link = &idle_top_;
  while (LocalSlot* slot = *link) {
    const SlotWord word = shm::load_slot(*slot->record);
    if (word.state() != SlotState::kIdle || word.owner() != lane_.id()) {
      lose(*slot);
      return nullptr;  // it stays for take_abandoned
    }
    CloseReason reason = word.reason();
    const bool flagged = reason != CloseReason::kNone;
    // Two reasons need no flag of theirs: the slot may have one that is void by now.
    if (flag_still_holds(*slot, CloseReason::kLifetime)) reason = CloseReason::kLifetime;
    bool holds = reason != CloseReason::kNone && flag_still_holds(*slot, reason);
    if (!holds && flag_still_holds(*slot, CloseReason::kDrain)) {
      reason = CloseReason::kDrain;
      holds = true;
    }
    if (holds) {
      const bool closes =
          reason == CloseReason::kIdleTimeout
              ? close_if_spared_ones_stay(*slot, lane_.lock_context(), shm::kLockPatienceNs)
              : close_idle(*slot, reason);
      if (closes) {
        *link = slot->below;
        return slot;
      }
      if (!lane_.usable()) return nullptr;
    }
    if (flagged) shm::slot_move(*slot->record, word, idle_word());  // only we change a flagged one
    link = &slot->below;
  }
  return nullptr;
}

LocalSlot* Pool::take_idle(CloseReason reason) {
  LocalSlot* slot = idle_top_;
  if (slot == nullptr || !lane_.usable() || !close_idle(*slot, reason)) return nullptr;
  idle_top_ = slot->below;
  return slot;
}

LocalSlot* Pool::take_abandoned() {
  LocalSlot* slot = idle_top_;
  if (slot != nullptr) idle_top_ = slot->below;
  return slot;
}

uint32_t Pool::idle_here() const {
  uint32_t count = 0;
  for (const LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) {
    if (slot->asleep == LocalSlot::Asleep::kNo) ++count;
  }
  return count;
}

// The idle stack is in order of return, the latest on top. What was only looked at goes back to
// where it was.
void Pool::push_in_turn(LocalSlot& slot) {
  LocalSlot** link = &idle_top_;
  while (*link != nullptr && (*link)->turn > slot.turn) link = &(*link)->below;
  slot.below = *link;
  *link = &slot;
}

LocalSlot* Pool::take_to_check(int64_t before_ns) {
  if (!lane_.still_usable()) return nullptr;
  LocalSlot** oldest = nullptr;
  for (LocalSlot** link = &idle_top_; *link != nullptr; link = &(*link)->below) {
    if (oldest == nullptr || (*link)->checked_ns <= (*oldest)->checked_ns) oldest = link;
  }
  if (oldest == nullptr || (*oldest)->checked_ns >= before_ns) return nullptr;
  LocalSlot& slot = **oldest;
  if (!shm::slot_move(*slot.record, idle_word(), in_use_word())) return nullptr;  // flagged
  slot.checked_ns = lane_.process().shared_monotonic_ns();
  *oldest = slot.below;
  return &slot;
}

Release Pool::put_back(LocalSlot& slot) {
  if (!lane_.usable() || !shm::slot_move(*slot.record, in_use_word(), idle_word())) {
    return lose(slot);
  }
  return release_slowly(slot);
}

}  // namespace oxpool
