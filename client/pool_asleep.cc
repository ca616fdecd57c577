// What a signal handler does to the idle slots of an owner that sleeps between two requests.
//
// Only async-signal-safe calls: no memory is allocated, nothing is repaired, and the pool's lock is
// waited for 2 ms at most.
#include "client/pool.h"
#include "shm/clock.h"
#include "shm/locks.h"
#include "shm/queue.h"

namespace oxpool {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;
using shm::SlotWord;

namespace {

constexpr int64_t kHandlerLockNs = 2 * shm::kNanosPerMilli;

// Repair allocates memory: who died inside a lock is left to others.
shm::LockContext without_repair(const Lane& lane) { return {lane.id(), nullptr}; }

}  // namespace

bool Pool::can_close_asleep() const {
  for (const LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) {
    if (!slot->sockets.empty()) return true;
  }
  return false;
}

bool Pool::any_flagged() const {
  for (const LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) {
    if (slot->asleep == LocalSlot::Asleep::kNo &&
        shm::load_slot(*slot->record).reason() != CloseReason::kNone) {
      return true;
    }
  }
  return false;
}

// IDLE → CLOSING, or the flag goes: its reason does not hold any more.
bool Pool::begin_close_asleep(LocalSlot& slot) {
  const SlotWord word = shm::load_slot(*slot.record);
  const CloseReason reason = word.reason();
  if (word.state() != SlotState::kIdle || word.owner() != lane_.id() ||
      reason == CloseReason::kNone || slot.sockets.empty()) {
    return false;
  }
  if (!flag_still_holds(slot, reason)) {
    shm::slot_move(*slot.record, word, idle_word());
    return false;
  }
  return reason == CloseReason::kIdleTimeout
             ? close_if_spared_ones_stay(slot, without_repair(lane_), kHandlerLockNs)
             : close_idle(slot, reason);
}

// All are shut down first, so that the other ends hang up at the same time.
bool Pool::close_flagged_asleep() {
  bool any = false;
  for (LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) {
    if (slot->asleep != LocalSlot::Asleep::kNo || !begin_close_asleep(*slot)) continue;
    slot->asleep = LocalSlot::Asleep::kClosing;
    begin_shut_down(slot->sockets);
    any = true;
  }
  if (!any) return false;
  const int64_t deadline_ns =
      shm::deadline_after(shm::monotonic_ns(), int64_t{close_wait_ms()} * shm::kNanosPerMilli);
  for (LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) {
    if (slot->asleep != LocalSlot::Asleep::kClosing) continue;
    finish_shut_down(slot->sockets, deadline_ns);
    slot->asleep = LocalSlot::Asleep::kClosed;
    shm::count_closed(*seat_, slot->closing);
    shm::count(*seat_, Counter::closed_asleep);
    shm::free_slot(lane_.view(), record_, slot->index,
                   SlotWord::make(SlotState::kClosing, lane_.id(), slot->closing));
    // Each at once: the next one's other end may take its time.
    shm::settle_pressure(lane_.view(), record_, without_repair(lane_), kHandlerLockNs);
  }
  return true;
}

LocalSlot* Pool::take_reaped() {
  for (LocalSlot** link = &idle_top_; *link != nullptr; link = &(*link)->below) {
    LocalSlot* slot = *link;
    if (slot->asleep == LocalSlot::Asleep::kNo) continue;
    *link = slot->below;
    slot->asleep = LocalSlot::Asleep::kNo;
    slot->record = nullptr;
    slot->sockets.clear();
    return slot;
  }
  return nullptr;
}

}  // namespace oxpool
