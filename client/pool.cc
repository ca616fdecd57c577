#include "client/pool.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/queue.h"

namespace oxpool {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;
using shm::SlotWord;

namespace {
// Patience that follows the factory: 10 × its mean time, within these bounds (design §6).
constexpr int64_t kMinPatienceNs = 100 * shm::kNanosPerMilli;
constexpr int64_t kMaxPatienceNs = 250 * shm::kNanosPerMilli;
// What handing over costs besides the factory: a wake-up and a change of processes. A factory that
// takes no more than that is cheap, and its pool hands over at once.
constexpr int64_t kHandOverCostNs = 50'000;
}  // namespace

Pool::Pool(Lane& lane, shm::PoolRecord& record, shm::SeatRecord& seat)
    : lane_(lane),
      record_(record),
      seat_(&seat),
      idle_word_(SlotWord::make(SlotState::kIdle, lane.id())),
      in_use_word_(SlotWord::make(SlotState::kInUse, lane.id())) {}

Pool::~Pool() {
  if (!lane_.still_usable()) return;
  // Whatever the caller still held is freed: its resources are the caller's to drop.
  for (const std::unique_ptr<Chunk>& chunk : slots_) {
    if (chunk == nullptr) continue;
    for (LocalSlot& slot : *chunk) {
      if (slot.record == nullptr) continue;
      const SlotWord word = shm::load_slot(*slot.record);
      if (!word.owned() || word.owner() != lane_.id()) continue;
      shm::count_closed(*seat_, CloseReason::kPoolDropped);
      shm::free_slot(lane_.view(), record_, slot.index, word);
    }
  }
  shm::settle_pressure(lane_.view(), record_, lane_.lock_context());
  shm::TableLock tables(lane_.view(), lane_.lock_context(), shm::kLockPatienceNs);
  if (tables.held()) {
    shm::leave_seat(tables, lane_.view().index_of(*seat_), lane_.process().shared_coarse_ns());
  } else {
    lane_.leave_to_burial();
  }
}

LocalSlot& Pool::local(uint32_t index) {
  const uint32_t chunk = index / shm::kSlotsPerChunk;
  if (chunk >= slots_.size()) slots_.resize(chunk + 1);
  if (slots_[chunk] == nullptr) slots_[chunk] = std::make_unique<Chunk>();
  LocalSlot& slot = (*slots_[chunk])[index % shm::kSlotsPerChunk];
  slot.index = index;
  slot.record = lane_.view().slot(record_, index);
  return slot;
}

Release Pool::lose(LocalSlot&) {
  if (!lane_.process().forked()) lane_.mark_fenced();
  return Release::kLost;
}

bool Pool::minted(LocalSlot& slot, int64_t factory_ns) {
  const SlotWord reserved = SlotWord::make(SlotState::kReserved, lane_.id());
  if (!lane_.usable() || shm::load_slot(*slot.record) != reserved) {
    lose(slot);
    return false;
  }
  // Advisory, so a lost update between two workers does no harm.
  const auto mean = static_cast<int64_t>(record_.factory_mean_ns.load(std::memory_order_relaxed));
  record_.factory_mean_ns.store(
      static_cast<uint64_t>(mean == 0 ? factory_ns : mean + (factory_ns - mean) / 8),
      std::memory_order_relaxed);
  const int64_t now_ns = lane_.process().shared_coarse_ns();
  slot.record->minted_ns.store(now_ns, std::memory_order_relaxed);
  slot.record->changed_ns.store(now_ns, std::memory_order_relaxed);
  if (!shm::slot_move(*slot.record, reserved, in_use_word())) {
    lose(slot);
    return false;
  }
  shm::count(*seat_, Counter::mints);
  shm::count(*seat_, Counter::factory_ns, static_cast<uint64_t>(factory_ns));
  if (slot.waited_ns == 0) {
    shm::count(*seat_, Counter::acquire_ok);
  } else {
    shm::count(*seat_, Counter::acquire_ok_waited);
    shm::count(seat_->counts.wait_buckets[shm::wait_bucket(slot.waited_ns)]);
    shm::count(*seat_, Counter::wait_ns, static_cast<uint64_t>(slot.waited_ns));
  }
  return true;
}

void Pool::mint_failed(LocalSlot& slot) {
  if (!lane_.usable()) return;
  shm::count(*seat_, Counter::failed_factory);
  free_unit(slot, SlotWord::make(SlotState::kReserved, lane_.id()));
}

void Pool::free_unit(LocalSlot& slot, SlotWord from) {
  if (!shm::free_slot(lane_.view(), record_, slot.index, from)) {
    lose(slot);
    return;
  }
  slot.record = nullptr;
  shm::settle_pressure(lane_.view(), record_, lane_.lock_context());
}

bool Pool::begin_close(LocalSlot& slot, CloseReason reason) {
  if (!lane_.usable() || !shm::slot_move(*slot.record, in_use_word(),
                                         SlotWord::make(SlotState::kClosing, lane_.id(), reason))) {
    lose(slot);
    return false;
  }
  last_release_ns_ = lane_.process().shared_coarse_ns();
  shm::count(*seat_, Counter::releases);
  slot.closing = reason;
  return true;
}

void Pool::finish_close(LocalSlot& slot) {
  slot.resource = nullptr;
  slot.sockets.clear();
  if (!lane_.usable()) return;
  lane_.process().tend_session();
  shm::count_closed(*seat_, slot.closing);
  last_release_ns_ = lane_.process().shared_coarse_ns();  // destroy's time is no gap in demand
  free_unit(slot, SlotWord::make(SlotState::kClosing, lane_.id(), slot.closing));
}

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

Release Pool::release_under_pressure(LocalSlot& slot) {
  lane_.process().tend_session();
  const shm::PressureWord pressure = shm::load_pressure(record_);
  CloseReason reason = CloseReason::kNone;
  if (pressure.excess() > 0) {
    reason = CloseReason::kReclaim;
  } else if (pressure.waiting() > 0 && !keeps_its_slot(slot, pressure.waiting())) {
    reason = CloseReason::kHandOver;
    shm::count(*seat_, Counter::hand_overs);
  }
  if (reason == CloseReason::kNone) {
    if (pressure.waiting() > 0) shm::count(*seat_, Counter::overtakings);
    push_idle(slot);
    return Release::kKept;
  }
  return close_idle(slot, reason) ? Release::kClose : Release::kLost;
}

// Whether this lane keeps its warm slot although somebody waits: only for its share of the head's
// patience, and only when it will need the slot again well before another worker could have minted.
//
// The share: with W waiting for C units, turns of patience × C / W make each of them wait for about
// `patience`. Judging by the head's wait alone favoured whole groups of workers: those who had
// queued together were all past their patience when the first of them was served, so each of the
// rest lost its turn after a single use (fewest uses of a worker 0.08 to 0.44 of the mean over 5
// s).
bool Pool::keeps_its_slot(LocalSlot& slot, uint32_t waiting) const {
  if (record_.settings.rebalance.load(std::memory_order_relaxed) ==
      static_cast<uint32_t>(shm::Rebalance::kStrict)) {
    return true;
  }
  const int64_t patience =
      patience_ns(lane_.view().ticket(record_.head.load(std::memory_order_relaxed)));
  const int64_t now_ns = lane_.process().shared_monotonic_ns();
  if (now_ns - slot.contended_seen_ns > patience) slot.contended_since_ns = now_ns;
  slot.contended_seen_ns = now_ns;
  const int64_t cap = std::max<int64_t>(record_.cap.load(std::memory_order_relaxed), 1);
  const int64_t turn_ns = patience * cap / std::max<int64_t>(waiting, cap);
  if (now_ns - slot.contended_since_ns >= turn_ns) return false;

  const auto factory_ns =
      static_cast<int64_t>(record_.factory_mean_ns.load(std::memory_order_relaxed));
  return gap_mean_ns_ >= 0 && gap_mean_ns_ + kHandOverCostNs < factory_ns / 2;
}

int64_t Pool::patience_ns(const shm::TicketRecord* head) const {
  const uint32_t asked_ms = record_.settings.patience_ms.load(std::memory_order_relaxed);
  int64_t patience = int64_t{asked_ms} * shm::kNanosPerMilli;
  if (asked_ms == shm::kPatienceAuto) {
    const auto factory_ns =
        static_cast<int64_t>(record_.factory_mean_ns.load(std::memory_order_relaxed));
    patience = std::clamp(10 * factory_ns, kMinPatienceNs, kMaxPatienceNs);
  }
  if (head == nullptr) return patience;
  const int64_t deadline_ns = head->deadline_ns.load(std::memory_order_relaxed);
  if (deadline_ns == shm::kNoDeadline) return patience;
  const int64_t allowed_ns = deadline_ns - head->since_ns.load(std::memory_order_relaxed);
  return std::min(patience, std::max<int64_t>(allowed_ns / 2, 0));
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
    case CloseReason::kReclaim:
      return shm::load_pressure(record_).raw != 0;
    default:
      return true;
  }
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
    const bool flagged = word.reason() != CloseReason::kNone;
    if (flagged && flag_still_holds(*slot, word.reason())) {
      if (!close_idle(*slot, word.reason())) return nullptr;
      *link = slot->below;
      return slot;
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
  for (const LocalSlot* slot = idle_top_; slot != nullptr; slot = slot->below) ++count;
  return count;
}

}  // namespace oxpool
