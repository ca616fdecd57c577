// One lane's view of one pool: its idle stack, and the budget protocol around mint and close.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/hang_up.h"
#include "client/lane.h"
#include "client/status.h"
#include "shm/gate.h"
#include "shm/seat.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool {

inline constexpr int64_t kNeverNs = INT64_MAX;

// A slot as its owner knows it. Its address stays the same while the Pool lives.
struct LocalSlot {
  shm::SlotRecord* record = nullptr;  // null while this Pool does not own the slot
  uint32_t index = 0;
  shm::CloseReason closing = shm::CloseReason::kNone;  // why, while it is being closed
  LocalSlot* below = nullptr;                          // next older in the idle stack
  void* resource = nullptr;        // the caller's; the library never looks at it
  int64_t waited_ns = 0;           // how long the acquire that minted it had waited
  int64_t released_ns = 0;         // when it last came back, or was made (shared clock)
  uint64_t turn = 0;               // the order in which they came back
  int64_t expires_ns = kNeverNs;   // its lifetime is over then (shared clock)
  int64_t checked_ns = 0;          // when it was last taken for a check, or made (shared clock)
  int64_t contended_since_ns = 0;  // this lane has had the slot since then while others waited
  int64_t contended_seen_ns = 0;   // when others were last seen waiting
  // Closed by the signal handler while its owner slept; still in the stack.
  enum class Asleep : uint8_t { kNo, kClosing, kClosed } asleep = Asleep::kNo;
  std::vector<NotedSocket> sockets;  // that appeared while the factory ran (caller fills it in)
};

enum class Release {
  kKept,   // the slot is idle here; the resource stays
  kClose,  // the slot is CLOSING: destroy the resource, then finish_close
  kLost,   // fenced or forked: drop the resource, it is nobody's budget any more
};

// The library moves budget and never runs user code: it says what is to be done, the caller does it
// and reports back. So nothing of the library is on the stack while factory, destroy, reset or a
// signal handler run, and they may call it again, throw or jump.
//
//   acquire:  reuse_idle(), else an Acquire (acquire.h): kReuse → use it
//                                                    kMint  → run the factory → minted |
//                                                    mint_failed kClose → destroy → finish_close,
//                                                    step again
//   release:  kKept | kClose → destroy → finish_close
//   discard:  begin_close → destroy → finish_close
//
// Invariants:
//  1. Every slot of this lane at this pool is in exactly one place: the idle stack, the caller's
//     hands (in use, minting, closing), or lost.
//  2. A unit counts against the cap from before the factory until finish_close.
//
// Thread safety: one thread, the lane's.
class Pool {
 public:
  ~Pool();  // gives the seat back; slots still owned are freed as if closed for kPoolDropped
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // The warmest idle slot, handed out; nullptr when there is none, or it is flagged or too old
  // (then use an Acquire). No lock, no system call. The caller has checked lane().usable().
  LocalSlot* reuse_idle() {
    LocalSlot* slot = idle_top_;
    if (slot == nullptr || !shm::is_open(record_)) return nullptr;
    const int64_t now_ns = lane_.process().shared_coarse_ns();
    if (now_ns >= slot->expires_ns || !shm::slot_move(*slot->record, idle_word(), in_use_word())) {
      return nullptr;
    }
    idle_top_ = slot->below;
    hand_out(*slot, now_ns);
    return slot;
  }

  // reuse_idle() in two steps, for a caller who looks at the resource before it is handed out: the
  // slot is in use, but not counted as handed out before hand_out(). What is no good goes to
  // reject().
  LocalSlot* take_warmest() {
    LocalSlot* slot = idle_top_;
    if (slot == nullptr || !shm::is_open(record_) ||
        lane_.process().shared_coarse_ns() >= slot->expires_ns ||
        !shm::slot_move(*slot->record, idle_word(), in_use_word())) {
      return nullptr;
    }
    idle_top_ = slot->below;
    return slot;
  }
  void hand_out(LocalSlot& slot) { hand_out(slot, lane_.process().shared_coarse_ns()); }
  // How long it has been since the slot came back or was made; by the coarse clock.
  int64_t idle_ns(const LocalSlot& slot) const {
    return lane_.process().shared_coarse_ns() - slot.released_ns;
  }

  // Gives back a slot in use. No lock and no system call while nobody waits.
  Release release(LocalSlot& slot) {
    if (!lane_.usable()) return lose(slot);
    last_release_ns_ = lane_.process().shared_coarse_ns();
    slot.released_ns = last_release_ns_;
    const int64_t held_ns =
        last_release_ns_ - slot.record->changed_ns.load(std::memory_order_relaxed);
    slot.record->changed_ns.store(last_release_ns_, std::memory_order_relaxed);
    slot.record->gap_ns.store(std::max<int64_t>(gap_mean_ns_, 0), std::memory_order_relaxed);
    if (shm::slot_move(*slot.record, in_use_word(), idle_word())) {
      count_held(held_ns);
      slot.turn = ++last_turn_;
      if (shm::is_calm(record_) && last_release_ns_ < slot.expires_ns) {
        push_idle(slot);
        return Release::kKept;
      }
      return release_slowly(slot);
    }
    return lose(slot);
  }

  // A unit that nobody waits for, to be minted ahead of need: run the factory, then minted_ahead or
  // mint_failed. nullptr when there is none, or when `at_most` resources exist or are being made.
  LocalSlot* reserve_ahead(uint32_t at_most);

  // The factory has made the resource: RESERVED → IN_USE. Its lifetime is drawn now. False: fenced
  // meanwhile, drop it.
  bool minted(LocalSlot& slot, int64_t factory_ns);
  // The same for what nobody asked for yet: RESERVED → IDLE.
  Release minted_ahead(LocalSlot& slot, int64_t factory_ns);
  // The factory failed: the unit is back at once and the next waiter is served.
  void mint_failed(LocalSlot& slot);

  // The factory has made what the pool does not take: RESERVED → CLOSING. False: fenced.
  bool refuse_minted(LocalSlot& slot, int64_t factory_ns);

  // IN_USE → CLOSING. False: fenced or forked, only drop the resource.
  bool begin_close(LocalSlot& slot, shm::CloseReason reason);
  // The same for one that was taken to be looked at and is not counted as handed out.
  bool reject(LocalSlot& slot, shm::CloseReason reason);
  // The next idle slot that is too old or was flagged for a reason that still holds, now CLOSING;
  // nullptr when there is none. A flag whose reason is gone is cleared.
  LocalSlot* take_flagged();
  // The next idle slot whatever its age, now CLOSING; nullptr when none is left.
  LocalSlot* take_idle(shm::CloseReason reason);
  // The next idle slot without touching the budget: for a lane that is not usable any more, whose
  // resources are only to be dropped.
  LocalSlot* take_abandoned();
  // The idle slot whose last check is longest ago, of those not checked since `before_ns` (shared
  // clock): out of the stack and in use without counting as handed out, to be looked at, then
  // put_back or reject. nullptr when there is none.
  LocalSlot* take_to_check(int64_t before_ns);
  // As release(), but as if it had been idle all the time.
  Release put_back(LocalSlot& slot);

  // The end of its owner's request: an idle slot whose resource outlives that stays, or is to be
  // closed (CLOSING then) because it is too old, was asked for, or more would be idle than may.
  Release park(LocalSlot& slot);
  // This idle slot, wherever it is in the stack: CLOSING. nullptr: it is not idle here any more.
  LocalSlot* take_parked(LocalSlot& slot, shm::CloseReason reason);
  // A parked slot is in use again, without a mint. It was taken by take_warmest() or reuse_idle().
  void reattached();
  // The resource of a slot in use had to be made anew: one is closed for `reason`, one is minted,
  // and a new lifetime begins. The unit stays.
  void replaced(LocalSlot& slot, int64_t factory_ns, shm::CloseReason reason);
  // A request of this process that used the pool is over.
  void request_ended();

  // For an owner that sleeps between two requests (sleep.h); async-signal-safe.
  // Whether any idle slot has sockets, so that it can be closed without its object.
  bool can_close_asleep() const;
  // Closes idle slots that are flagged for a reason that holds: shuts their sockets down, waits for
  // the hang-up, gives the units back. The slots stay in the stack for take_reaped(). A reason that
  // can not be judged in time is left to the owner.
  bool close_flagged_asleep();
  bool any_flagged() const;
  // The next slot that was closed so: its unit is somebody else's, its object and its socket's
  // descriptor are the caller's to drop.
  LocalSlot* take_reaped();

  // CLOSING → FREE, after destroy has run and the other end has hung up; serves the next waiter.
  void finish_close(LocalSlot& slot);

  // Milliseconds that a closed resource's other end is waited for; 0 = not at all.
  uint32_t close_wait_ms() const {
    return record_.settings.close_wait_ms.load(std::memory_order_relaxed);
  }

  // Host-wide counts at this moment.
  shm::PoolCounts counts() const { return shm::count_pool(lane_.view(), record_); }
  uint32_t idle_here() const;
  uint64_t id() const { return record_.id.load(std::memory_order_relaxed); }
  std::string name() const { return shm::pool_name(record_); }
  // Its name was removed: whoever asks for the name now gets another pool.
  bool name_removed() const {
    return (record_.naming.load(std::memory_order_acquire) & shm::kNameRemoved) != 0;
  }
  // Notes where in the source code the slot was acquired: a hash from shm::note_place.
  void note_place(LocalSlot& slot, uint64_t place) const {
    slot.record->place.store(place, std::memory_order_relaxed);
  }
  bool is_persistent() const { return shm::has_trait(record_, shm::kPersistent); }
  // With this seat the record may go, too, if the pool has no given name and was never used.
  void forget_if_unused() { forget_if_unused_ = true; }
  Lane& lane() const { return lane_; }
  shm::PoolRecord& record() const { return record_; }
  shm::SeatRecord& seat() const { return *seat_; }

 private:
  friend class Acquire;
  friend class Lane;
  Pool(Lane& lane, shm::PoolRecord& record, shm::SeatRecord& seat);

  shm::SlotWord idle_word() const { return idle_word_; }
  shm::SlotWord in_use_word() const { return in_use_word_; }
  void push_idle(LocalSlot& slot) {
    slot.below = idle_top_;
    idle_top_ = &slot;
  }
  void hand_out(LocalSlot& slot, int64_t now_ns) {
    slot.record->changed_ns.store(now_ns, std::memory_order_relaxed);
    note_gap(now_ns);
    shm::count(*seat_, shm::Counter::acquire_ok);
  }
  void note_gap(int64_t now_ns) {
    if (last_release_ns_ == 0) return;
    const int64_t gap_ns = now_ns - last_release_ns_;
    gap_mean_ns_ = gap_mean_ns_ < 0 ? gap_ns : gap_mean_ns_ + (gap_ns - gap_mean_ns_) / 8;
  }

  // Every end of a holding is counted once: here, or in a bucket.
  void count_held(int64_t held_ns) {
    if (held_ns > 0) {
      count_held_longer(held_ns);
    } else {
      shm::count(*seat_, shm::Counter::releases);
    }
  }
  void count_held_longer(int64_t held_ns);
  void count_minted(int64_t factory_ns);
  Release release_slowly(LocalSlot& slot);
  void push_in_turn(LocalSlot& slot);
  bool begin_life(LocalSlot& slot, int64_t factory_ns);
  void note_new_life(LocalSlot& slot, int64_t factory_ns);
  LocalSlot** idle_link_of(const LocalSlot& slot);
  shm::CloseReason reason_not_to_park(LocalSlot& slot);
  bool close_if_spared_ones_stay(LocalSlot& slot, const shm::LockContext& context,
                                 int64_t lock_patience_ns);
  bool begin_close_asleep(LocalSlot& slot);
  Release lose(LocalSlot& slot);
  bool keeps_its_slot(LocalSlot& slot, uint32_t waiting) const;
  int64_t patience_ns(const shm::TicketRecord* head) const;
  bool flag_still_holds(const LocalSlot& slot, shm::CloseReason reason) const;
  bool close_idle(LocalSlot& slot, shm::CloseReason reason);
  LocalSlot& local(uint32_t index);
  void free_unit(LocalSlot& slot, shm::SlotWord from);

  Lane& lane_;
  shm::PoolRecord& record_;
  shm::SeatRecord* seat_;
  const shm::SlotWord idle_word_;
  const shm::SlotWord in_use_word_;
  uint64_t last_turn_ = 0;
  bool forget_if_unused_ = false;
  LocalSlot* idle_top_ = nullptr;
  int64_t last_release_ns_ = 0;
  int64_t gap_mean_ns_ = -1;  // mean time between a release and the next acquire; < 0 = unknown
  using Chunk = std::array<LocalSlot, shm::kSlotsPerChunk>;
  std::vector<std::unique_ptr<Chunk>> slots_;
};

}  // namespace oxpool
