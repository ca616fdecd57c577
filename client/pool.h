// One lane's view of one pool: its idle stack, and the budget protocol around mint and close.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/hang_up.h"
#include "client/lane.h"
#include "client/status.h"
#include "shm/seat.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool {

// A slot as its owner knows it. Its address stays the same while the Pool lives.
struct LocalSlot {
  shm::SlotRecord* record = nullptr;  // null while this Pool does not own the slot
  uint32_t index = 0;
  shm::CloseReason closing = shm::CloseReason::kNone;  // why, while it is being closed
  LocalSlot* below = nullptr;                          // next older in the idle stack
  void* resource = nullptr;          // the caller's; the library never looks at it
  int64_t waited_ns = 0;             // how long the acquire that minted it had waited
  int64_t contended_since_ns = 0;    // this lane has had the slot since then while others waited
  int64_t contended_seen_ns = 0;     // when others were last seen waiting
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

  // The warmest idle slot, handed out; nullptr when there is none or it is flagged (then use an
  // Acquire). No lock, no system call. The caller has checked lane().usable().
  LocalSlot* reuse_idle() {
    LocalSlot* slot = idle_top_;
    if (slot == nullptr || !shm::slot_move(*slot->record, idle_word(), in_use_word())) {
      return nullptr;
    }
    idle_top_ = slot->below;
    hand_out(*slot);
    return slot;
  }

  // Gives back a slot in use. No lock and no system call while nobody waits.
  Release release(LocalSlot& slot) {
    if (!lane_.usable()) return lose(slot);
    last_release_ns_ = lane_.process().shared_coarse_ns();
    slot.record->changed_ns.store(last_release_ns_, std::memory_order_relaxed);
    if (shm::slot_move(*slot.record, in_use_word(), idle_word())) {
      shm::count(*seat_, shm::Counter::releases);
      if (shm::load_pressure(record_).raw == 0) {
        push_idle(slot);
        return Release::kKept;
      }
      return release_under_pressure(slot);
    }
    return lose(slot);
  }

  // The factory has made the resource: RESERVED → IN_USE. False: fenced meanwhile, drop it.
  bool minted(LocalSlot& slot, int64_t factory_ns);
  // The factory failed: the unit is back at once and the next waiter is served.
  void mint_failed(LocalSlot& slot);

  // IN_USE → CLOSING. False: fenced or forked, only drop the resource.
  bool begin_close(LocalSlot& slot, shm::CloseReason reason);
  // The next idle slot that was flagged for a reason that still holds, now CLOSING; nullptr when
  // there is none. A flag whose reason is gone is cleared.
  LocalSlot* take_flagged();
  // The next idle slot whatever its age, now CLOSING; nullptr when none is left.
  LocalSlot* take_idle(shm::CloseReason reason);
  // The next idle slot without touching the budget: for a lane that is not usable any more, whose
  // resources are only to be dropped.
  LocalSlot* take_abandoned();
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
  void hand_out(LocalSlot& slot) {
    const int64_t now_ns = lane_.process().shared_coarse_ns();
    slot.record->changed_ns.store(now_ns, std::memory_order_relaxed);
    note_gap(now_ns);
    shm::count(*seat_, shm::Counter::acquire_ok);
  }
  void note_gap(int64_t now_ns) {
    if (last_release_ns_ == 0) return;
    const int64_t gap_ns = now_ns - last_release_ns_;
    gap_mean_ns_ = gap_mean_ns_ < 0 ? gap_ns : gap_mean_ns_ + (gap_ns - gap_mean_ns_) / 8;
  }

  Release release_under_pressure(LocalSlot& slot);
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
  LocalSlot* idle_top_ = nullptr;
  int64_t last_release_ns_ = 0;
  int64_t gap_mean_ns_ = -1;  // mean time between a release and the next acquire; < 0 = unknown
  using Chunk = std::array<LocalSlot, shm::kSlotsPerChunk>;
  std::vector<std::unique_ptr<Chunk>> slots_;
};

}  // namespace oxpool
