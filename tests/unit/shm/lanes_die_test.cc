// Threads as lanes: each works at the same pool, dies without cleaning up and comes again, while
// others bury and repair. What a sanitizer for threads sees of the segment, it sees here.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "shm/burial.h"
#include "shm/queue.h"
#include "shm/slot.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

constexpr uint32_t kUnits = 2;
constexpr int kWorkers = 4;
constexpr int kLives = 150;

class LanesDie : public test::SegmentHost {
 protected:
  LanesDie()
      : SegmentHost({.processes = 16,
                     .lanes = 16,
                     .extra_tickets = 8,
                     .pools = 4,
                     .seats = 16,
                     .chunks = 4}),
        pool_(make_pool("p", kUnits, daemon())) {}

  // Takes a unit, by the queue when there is none. nullptr when it was not served in time.
  SlotRecord* take(const test::AttachedLane& me, uint32_t* index) {
    if (load_pressure(pool_).raw == 0) {
      if (SlotRecord* slot = reserve(pool_, me, index)) return slot;
    }
    TicketRecord& ticket = *view().ticket(me.id().lane());
    WaitWord waiting;
    {
      PoolLock lock(view(), pool_, me.context(), kLockPatienceNs);
      if (!lock.held()) return nullptr;
      waiting = enqueue(lock, {me.id().lane(), me.id(), monotonic_ns(), kNoDeadline});
      serve(lock);
    }
    for (int looks = 0; looks < 1000; ++looks) {
      const WaitWord now{ticket.wait_word.load(std::memory_order_seq_cst)};
      if (now.state() == WaitState::kGranted) {
        SlotRecord* slot = view().slot(pool_, now.slot());
        *index = now.slot();
        return slot != nullptr && accept_grant(*slot, me.id()) ? slot : nullptr;
      }
      std::this_thread::yield();
    }
    if (!cancel_wait(ticket, waiting)) return nullptr;  // granted just now: left to burial
    PoolLock lock(view(), pool_, me.context(), kLockPatienceNs);
    if (lock.held()) unlink(lock, me.id().lane());
    return nullptr;
  }

  // One life; how it ends depends on its number. Nothing is cleaned up: that is for burial.
  void live(uint32_t process, int life) {
    test::AttachedLane me(view(), lock_path(), process);
    {
      TableLock tables(view(), me.context(), kLockPatienceNs);
      uint32_t seat;
      if (tables.held()) take_seat(tables, view().index_of(pool_), me.id(), &seat);
    }
    uint32_t index;
    SlotRecord* slot = take(me, &index);
    if (slot != nullptr) {
      const int inside = ++inside_;
      if (inside > static_cast<int>(kUnits)) ++above_;
      std::this_thread::yield();
      --inside_;
      if (life % 3 != 0) {  // else it dies with the unit
        free_slot(view(), pool_, index, load_slot(*slot));
        if (life % 3 == 1) settle_pressure(view(), pool_, me.context(), kLockPatienceNs);
      }
    }
    if (life % 5 == 0) RobustMutex::lock(pool_.lock, me.context(), kLockPatienceNs);
    me.die();
    // A record is given out again once it is buried.
    while (view().process(process)->incarnation.load(std::memory_order_acquire) != 0) {
      std::this_thread::yield();
    }
  }

  void bury_until(const std::atomic<int>& living) {
    while (living.load() > 0) {
      for (uint32_t i = 1; i <= kWorkers; ++i) {
        const uint64_t incarnation = view().process(i)->incarnation.load(std::memory_order_acquire);
        if (incarnation == 0 || !daemon().liveness().process_dead(i, incarnation)) continue;
        bury_process(view(), daemon().context(), i, incarnation, monotonic_ns());
      }
      std::this_thread::yield();
    }
  }

  PoolRecord& pool_;
  std::atomic<int> inside_{0};
  std::atomic<int> above_{0};
};

TEST_F(LanesDie, AllAtOnceAndEveryUnitIsFreeAtTheEnd) {
  std::atomic<int> living{kWorkers};
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i <= kWorkers; ++i) {
    threads.emplace_back([this, i, &living] {
      for (int life = 0; life < kLives; ++life) live(i, life + static_cast<int>(i));
      --living;
    });
  }
  bury_until(living);
  for (std::thread& thread : threads) thread.join();

  { PoolLock lock(view(), pool_, daemon().context(), kLockPatienceNs); }
  EXPECT_EQ(0, above_);
  EXPECT_EQ(0u, load_pressure(pool_).raw);
  EXPECT_EQ(1u, pool_.seats.load());
  uint32_t index;
  for (uint32_t i = 0; i < kUnits; ++i) EXPECT_NE(nullptr, reserve(pool_, daemon(), &index));
  EXPECT_EQ(nullptr, reserve(pool_, daemon(), &index));
}

}  // namespace
}  // namespace oxpool::shm
