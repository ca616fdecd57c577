// Slots that outlive their owner's request: whether one stays at its end, and what it is in the
// next one.
#include "client/pool.h"
#include "shm/clock.h"
#include "shm/rebalance.h"

namespace oxpool {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;
using shm::SlotWord;

// Why the slot can not stay idle while its owner is away; kNone = it stays.
CloseReason Pool::reason_not_to_park(LocalSlot& slot) {
  const shm::PressureWord pressure = shm::load_pressure(record_);
  const SlotWord word = shm::load_slot(*slot.record);
  if (lane_.process().shared_coarse_ns() >= slot.expires_ns) return CloseReason::kLifetime;
  if (shm::load_gate(record_).gate() == shm::Gate::kDrained) return CloseReason::kDrain;
  if (pressure.excess() > 0) return CloseReason::kReclaim;
  if (word.reason() != CloseReason::kNone && word.reason() != CloseReason::kIdleTimeout &&
      flag_still_holds(slot, word.reason())) {
    return word.reason();
  }
  if (pressure.waiting() > 0) {
    if (keeps_its_slot(slot, pressure.waiting())) return CloseReason::kNone;
    shm::count(*seat_, Counter::hand_overs);
    return CloseReason::kHandOver;
  }
  // The reserve is for who comes when nobody waits yet.
  if (!shm::is_strict(lane_.view(), record_) && !shm::has_room_for_idle(lane_.view(), record_, 1)) {
    return CloseReason::kHandOver;
  }
  return CloseReason::kNone;
}

// What refers to the slot in the idle stack, or to the stack's end when it is not in it.
LocalSlot** Pool::idle_link_of(const LocalSlot& slot) {
  LocalSlot** link = &idle_top_;
  while (*link != nullptr && *link != &slot) link = &(*link)->below;
  return link;
}

Release Pool::park(LocalSlot& slot) {
  LocalSlot** const link = idle_link_of(slot);
  // A process that only ever takes parked slots has no other slow path.
  lane_.process().tend_session();
  if (*link == nullptr || !lane_.usable()) return Release::kLost;
  const CloseReason reason = reason_not_to_park(slot);
  if (reason == CloseReason::kNone) return Release::kKept;
  if (!close_idle(slot, reason)) return Release::kLost;
  *link = slot.below;
  return Release::kClose;
}

LocalSlot* Pool::take_parked(LocalSlot& slot, CloseReason reason) {
  LocalSlot** const link = idle_link_of(slot);
  if (*link == nullptr || !lane_.usable() || !close_idle(slot, reason)) return nullptr;
  *link = slot.below;
  return &slot;
}

void Pool::reattached() { shm::count(*seat_, Counter::reattached); }

void Pool::replaced(LocalSlot& slot, int64_t factory_ns, CloseReason reason) {
  if (!lane_.usable()) return;
  note_new_life(slot, factory_ns);
  shm::count_closed(*seat_, reason);
  count_minted(factory_ns);
}

void Pool::request_ended() { record_.movements.fetch_add(1, std::memory_order_relaxed); }

}  // namespace oxpool
