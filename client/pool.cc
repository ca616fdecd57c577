#include "client/pool.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "shm/clock.h"
#include "shm/queue.h"
#include "shm/rebalance.h"

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
// Resources that were made together must not all be too old together: each lives for its pool's
// lifetime less a part of up to this many percent, drawn when it is made.
constexpr uint64_t kLifetimeJitterPercent = 20;

// 0 = without end.
int64_t draw_lifetime_ns(const shm::PoolRecord& pool, int64_t salt) {
  const uint64_t whole_ms = pool.settings.max_lifetime_ms.load(std::memory_order_relaxed);
  if (whole_ms == 0) return 0;
  static thread_local std::minstd_rand random(
      static_cast<uint32_t>(shm::monotonic_ns() ^ getpid() ^ salt));
  const int64_t whole_ns = shm::nanos_of_millis(static_cast<int64_t>(whole_ms));
  const int64_t most_ns = whole_ns / 100 * int64_t{kLifetimeJitterPercent};
  return std::max<int64_t>(whole_ns - std::uniform_int_distribution<int64_t>(0, most_ns)(random),
                           1);
}
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
    if (forget_if_unused_) shm::remove_if_unused(tables, record_);
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

// Under the lock, so that several who warm the pool at once do not make more than was asked for.
LocalSlot* Pool::reserve_ahead(uint32_t at_most) {
  if (!lane_.still_usable()) return nullptr;
  shm::PoolLock lock(lane_.view(), record_, lane_.lock_context(), shm::kLockPatienceNs);
  if (!lock.held()) return nullptr;
  shm::serve(lock);
  const shm::PoolCounts now = counts();
  if (!shm::is_calm(record_) || now.size() + now.minting >= at_most) return nullptr;
  uint32_t index;
  const SlotWord reserved = SlotWord::make(SlotState::kReserved, lane_.id());
  if (shm::take_free(lane_.view(), record_, reserved, &index) == nullptr) return nullptr;
  LocalSlot& slot = local(index);
  slot.waited_ns = 0;
  slot.closing = CloseReason::kNone;
  return &slot;
}

// What both ways of having minted share: the slot's times, and what the factory took. False:
// fenced.
bool Pool::begin_life(LocalSlot& slot, int64_t factory_ns) {
  if (!lane_.usable() ||
      shm::load_slot(*slot.record) != SlotWord::make(SlotState::kReserved, lane_.id())) {
    lose(slot);
    return false;
  }
  note_new_life(slot, factory_ns);
  return true;
}

void Pool::note_new_life(LocalSlot& slot, int64_t factory_ns) {
  // Advisory, so a lost update between two workers does no harm.
  const auto mean = static_cast<int64_t>(record_.factory_mean_ns.load(std::memory_order_relaxed));
  record_.factory_mean_ns.store(
      static_cast<uint64_t>(mean == 0 ? factory_ns : mean + (factory_ns - mean) / 8),
      std::memory_order_relaxed);
  const int64_t now_ns = lane_.process().shared_coarse_ns();
  const int64_t lifetime_ns = draw_lifetime_ns(record_, now_ns ^ slot.index);
  slot.released_ns = now_ns;
  slot.checked_ns = lane_.process().shared_monotonic_ns();
  slot.expires_ns = lifetime_ns > 0 ? shm::deadline_after(now_ns, lifetime_ns) : kNeverNs;
  slot.record->minted_ns.store(now_ns, std::memory_order_relaxed);
  slot.record->changed_ns.store(now_ns, std::memory_order_relaxed);
  slot.record->expires_ns.store(lifetime_ns > 0 ? slot.expires_ns : 0, std::memory_order_relaxed);
  slot.record->place.store(0, std::memory_order_relaxed);
}

void Pool::count_minted(int64_t factory_ns) {
  shm::count(*seat_, Counter::mints);
  shm::count(*seat_, Counter::factory_ns, static_cast<uint64_t>(factory_ns));
  shm::count(seat_->counts.factory_buckets[shm::factory_bucket(factory_ns)]);
}

void Pool::count_held_longer(int64_t held_ns) {
  shm::count(*seat_, Counter::hold_ns, static_cast<uint64_t>(held_ns));
  shm::count(seat_->counts.hold_buckets[shm::hold_bucket(held_ns)]);
}

bool Pool::minted(LocalSlot& slot, int64_t factory_ns) {
  if (!begin_life(slot, factory_ns)) return false;
  if (!shm::slot_move(*slot.record, SlotWord::make(SlotState::kReserved, lane_.id()),
                      in_use_word())) {
    lose(slot);
    return false;
  }
  count_minted(factory_ns);
  if (slot.waited_ns == 0) {
    shm::count(*seat_, Counter::acquire_ok);
  } else {
    shm::count(*seat_, Counter::acquire_ok_waited);
    shm::count(seat_->counts.wait_buckets[shm::wait_bucket(slot.waited_ns)]);
    shm::count(*seat_, Counter::wait_ns, static_cast<uint64_t>(slot.waited_ns));
  }
  return true;
}

Release Pool::minted_ahead(LocalSlot& slot, int64_t factory_ns) {
  if (!begin_life(slot, factory_ns)) return Release::kLost;
  if (!shm::slot_move(*slot.record, SlotWord::make(SlotState::kReserved, lane_.id()),
                      idle_word())) {
    return lose(slot);
  }
  count_minted(factory_ns);
  slot.turn = ++last_turn_;
  if (!shm::is_calm(record_)) return release_slowly(slot);
  push_idle(slot);
  return Release::kKept;
}

bool Pool::refuse_minted(LocalSlot& slot, int64_t factory_ns) {
  const SlotWord reserved = SlotWord::make(SlotState::kReserved, lane_.id());
  if (!begin_life(slot, factory_ns)) return false;
  if (!shm::slot_move(*slot.record, reserved, idle_word())) {
    lose(slot);
    return false;
  }
  return close_idle(slot, CloseReason::kDiscard);
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
  const int64_t since_ns = slot.record->changed_ns.load(std::memory_order_relaxed);
  if (!reject(slot, reason)) return false;
  last_release_ns_ = lane_.process().shared_coarse_ns();
  count_held(last_release_ns_ - since_ns);
  return true;
}

bool Pool::reject(LocalSlot& slot, CloseReason reason) {
  if (!lane_.usable() || !shm::slot_move(*slot.record, in_use_word(),
                                         SlotWord::make(SlotState::kClosing, lane_.id(), reason))) {
    lose(slot);
    return false;
  }
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

Release Pool::release_slowly(LocalSlot& slot) {
  lane_.process().tend_session();
  const shm::PressureWord pressure = shm::load_pressure(record_);
  CloseReason reason = CloseReason::kNone;
  if (lane_.process().shared_coarse_ns() >= slot.expires_ns) {
    reason = CloseReason::kLifetime;
  } else if (shm::load_gate(record_).gate() == shm::Gate::kDrained) {
    reason = CloseReason::kDrain;
  } else if (pressure.excess() > 0) {
    reason = CloseReason::kReclaim;
  } else if (pressure.waiting() > 0 && !keeps_its_slot(slot, pressure.waiting())) {
    reason = CloseReason::kHandOver;
    shm::count(*seat_, Counter::hand_overs);
  }
  if (reason == CloseReason::kNone) {
    if (pressure.waiting() > 0) shm::count(*seat_, Counter::overtakings);
    push_in_turn(slot);
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
  if (shm::is_strict(lane_.view(), record_)) return true;
  const int64_t patience =
      patience_ns(lane_.view().ticket(record_.head.load(std::memory_order_relaxed)));
  const int64_t now_ns = lane_.process().shared_monotonic_ns();
  if (now_ns - slot.contended_seen_ns > patience) slot.contended_since_ns = now_ns;
  slot.contended_seen_ns = now_ns;
  const int64_t cap = std::max<int64_t>(record_.cap.load(std::memory_order_relaxed), 1);
  const int64_t turn_ns = patience * cap / std::max<int64_t>(waiting, cap);
  if (now_ns - slot.contended_since_ns >= turn_ns) return false;

  // While somebody waits for a unit, requests wait, too, as a rule: its process gets the next one
  // at once. (Judged by the gap, which grows with the load as the factory's time does, nearly every
  // request of a loaded php-fpm connected anew: 233 requests/s instead of 2,421.)
  if (is_persistent()) return true;
  const auto factory_ns =
      static_cast<int64_t>(record_.factory_mean_ns.load(std::memory_order_relaxed));
  return gap_mean_ns_ >= 0 && gap_mean_ns_ + kHandOverCostNs < factory_ns / 2;
}

int64_t Pool::patience_ns(const shm::TicketRecord* head) const {
  const uint32_t asked_ms = shm::patience_setting_ms(lane_.view(), record_);
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

}  // namespace oxpool
