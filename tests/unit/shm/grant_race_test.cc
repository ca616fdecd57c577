// A release that coincides with a timeout: granted or timed out, never both, and no unit is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "shm/queue.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/rendezvous.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::Rendezvous;
using test::SegmentHost;

constexpr int kRounds = 10000;

void spin(uint32_t turns) {
  for (uint32_t i = 0; i < turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

class GrantRace : public SegmentHost {
 protected:
  GrantRace() : releaser_(attach()), waiter_(attach()), pool_(make_pool("p", 1, *releaser_)) {}

  void take_the_unit() {
    uint32_t index;
    SlotRecord* slot = reserve(pool_, *releaser_, &index);
    if (slot == nullptr) {
      ADD_FAILURE() << "the unit is lost";
      return;
    }
    slot->word.store(in_use().raw);
  }
  SlotWord in_use() const { return SlotWord::make(SlotState::kInUse, releaser_->id()); }

  std::unique_ptr<AttachedLane> releaser_;
  std::unique_ptr<AttachedLane> waiter_;
  PoolRecord& pool_;
};

TEST_F(GrantRace, ReleaseAndTimeoutDecideOnce) {
  Rendezvous rounds;
  std::atomic<bool> decided{false};
  std::atomic<bool> released{false};
  std::thread releaser([&] {
    for (uint32_t round = 0; round < kRounds; ++round) {
      take_the_unit();
      rounds.meet();  // the waiter is queued
      rounds.meet();
      if (round % 16 == 0) {
        while (!decided) std::this_thread::yield();  // the timeout comes first
      }
      spin(500);
      EXPECT_TRUE(free_slot(view(), pool_, 0, in_use()));
      settle_pressure(view(), pool_, releaser_->context());
      released = true;
      rounds.meet();  // both have decided
      rounds.meet();
    }
  });
  TicketRecord& ticket = *view().ticket(waiter_->id().lane());
  uint32_t delay = 0;  // hunts the moment at which both happen at once
  for (uint32_t round = 0; round < kRounds; ++round) {
    rounds.meet();
    WaitWord waiting;
    {
      PoolLock lock(view(), pool_, waiter_->context(), kLockPatienceNs);
      waiting = enqueue(lock, {waiter_->id().lane(), waiter_->id(), 1, 2});
      serve(lock);
    }
    rounds.meet();
    if (round % 16 == 8) {
      while (!released) std::this_thread::yield();  // the release comes first
    }
    spin(delay);
    const bool cancelled = cancel_wait(ticket, waiting);
    decided = true;
    rounds.meet();
    EXPECT_TRUE(round % 16 != 0 || cancelled);
    EXPECT_TRUE(round % 16 != 8 || !cancelled);
    const WaitWord outcome{ticket.wait_word.load()};
    if (cancelled) {
      delay = std::min(delay + 23, 100'000u);
      EXPECT_EQ(WaitState::kCancelled, outcome.state());
    } else {
      delay -= std::min(delay, 23u);
      EXPECT_EQ(WaitState::kGranted, outcome.state());
      EXPECT_TRUE(accept_grant(*view().slot(pool_, outcome.slot()), waiter_->id()));
      EXPECT_TRUE(free_slot(view(), pool_, outcome.slot(),
                            SlotWord::make(SlotState::kReserved, waiter_->id())));
    }
    {
      PoolLock lock(view(), pool_, waiter_->context(), kLockPatienceNs);
      unlink(lock, waiter_->id().lane());
      serve(lock);
    }
    EXPECT_EQ(1u, census(view(), pool_)[SlotState::kFree]) << "round " << round;
    EXPECT_EQ(0u, load_pressure(pool_).raw);
    decided = false;
    released = false;
    rounds.meet();
  }
  releaser.join();
  expect_whole(view(), pool_, 1);
}

// No wake-up is lost: whoever counted itself before it looked, or freed before it looked, sees the
// other. Both sides do their two steps at once.
TEST_F(GrantRace, FreeingAndJoiningAtOnceNeverMissEachOther) {
  Rendezvous rounds;
  std::thread releaser([&] {
    for (uint32_t round = 0; round < kRounds; ++round) {
      take_the_unit();
      rounds.meet();
      spin(round * 7919 % 1200);
      EXPECT_TRUE(free_slot(view(), pool_, 0, in_use()));
      settle_pressure(view(), pool_, releaser_->context());
      rounds.meet();
      rounds.meet();
    }
  });
  TicketRecord& ticket = *view().ticket(waiter_->id().lane());
  for (uint32_t round = 0; round < kRounds; ++round) {
    rounds.meet();
    spin(round * 104729 % 1200);
    {
      PoolLock lock(view(), pool_, waiter_->context(), kLockPatienceNs);
      enqueue(lock, {waiter_->id().lane(), waiter_->id(), 1, kNoDeadline});
      serve(lock);
    }
    rounds.meet();
    const WaitWord outcome{ticket.wait_word.load()};
    if (outcome.state() != WaitState::kGranted) {
      ADD_FAILURE() << "asleep while a unit is free, round " << round;
      PoolLock lock(view(), pool_, waiter_->context(), kLockPatienceNs);
      serve(lock);
    }
    EXPECT_TRUE(free_slot(view(), pool_, WaitWord{ticket.wait_word.load()}.slot(),
                          SlotWord::make(SlotState::kGranted, waiter_->id())));
    rounds.meet();
  }
  releaser.join();
  expect_whole(view(), pool_, 1);
}

// Several lanes wait, time out, mint and free on a few units, all at once.
TEST_F(GrantRace, ManyLanesNeverHoldMoreThanTheCap) {
  constexpr uint32_t kUnits = 2;
  PoolRecord& pool = make_pool("many", kUnits, *releaser_);
  std::vector<std::unique_ptr<AttachedLane>> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(attach());
  std::atomic<uint32_t> holding{0};
  std::atomic<int> served{0};
  const auto work = [&](AttachedLane& lane, uint32_t seed) {
    TicketRecord& ticket = *view().ticket(lane.id().lane());
    for (int round = 0; round < 3000; ++round) {
      seed = seed * 1664525 + 1013904223;
      WaitWord waiting;
      {
        PoolLock lock(view(), pool, lane.context(), 60 * kNanosPerSecond);
        unlink(lock, lane.id().lane());
        waiting = enqueue(lock, {lane.id().lane(), lane.id(), 1, 2});
        serve(lock);
      }
      spin(seed >> 24);
      if ((seed >> 8) % 4 == 0) std::this_thread::yield();
      if (cancel_wait(ticket, waiting)) continue;
      const uint32_t index = WaitWord{ticket.wait_word.load()}.slot();
      EXPECT_TRUE(accept_grant(*view().slot(pool, index), lane.id()));
      EXPECT_LE(++holding, kUnits);
      ++served;
      --holding;
      EXPECT_TRUE(free_slot(view(), pool, index, SlotWord::make(SlotState::kReserved, lane.id())));
      settle_pressure(view(), pool, lane.context());
    }
    PoolLock lock(view(), pool, lane.context(), 60 * kNanosPerSecond);
    unlink(lock, lane.id().lane());
    serve(lock);
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    threads.emplace_back([&, i] { work(*lanes[i], i * 77); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(served, 0);
  EXPECT_EQ(kUnits, census(view(), pool)[SlotState::kFree]);
  expect_whole(view(), pool, kUnits);
}

// A pool so wide that finding its one free unit takes a while.
class WidePool : public SegmentHost {
 protected:
  WidePool()
      : SegmentHost({.processes = 4,
                     .lanes = 8,
                     .extra_tickets = 4,
                     .pools = 1,
                     .seats = 4,
                     .chunks = kMaxChunksPerPool}) {}
};

// The waiter leaves while the unit is on its way to it, between the slot's word and the ticket's.
TEST_F(WidePool, CancelWhileTheGrantIsMadeLosesNoUnit) {
  auto holder = attach();
  auto waiter = attach();
  PoolRecord& pool = make_pool("wide", kMaxSlotsPerPool, *holder);
  const SlotWord in_use = SlotWord::make(SlotState::kInUse, holder->id());
  for (uint32_t i = 0; i < kMaxSlotsPerPool; ++i) view().slot(pool, i)->word = in_use.raw;
  for (uint32_t i = 0; i < kMaxChunksPerPool; ++i) view().chunk_of(pool, i)->free_hint = 0;
  ASSERT_TRUE(free_slot(view(), pool, kMaxSlotsPerPool - 1, in_use));
  SlotRecord& unit = *view().slot(pool, kMaxSlotsPerPool - 1);
  TicketRecord& ticket = *view().ticket(waiter->id().lane());
  std::atomic<bool> done{false};
  std::thread leaver([&] {
    for (uint32_t turn = 0; !done; ++turn) {
      const WaitWord word{ticket.wait_word.load()};
      if (word.state() != WaitState::kWaiting) continue;
      spin(turn % 64 * 8);
      cancel_wait(ticket, word);
    }
  });
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    {
      PoolLock lock(view(), pool, holder->context(), kLockPatienceNs);
      enqueue(lock, {waiter->id().lane(), waiter->id(), 1, kNoDeadline});
      serve(lock);
    }
    const WaitWord outcome{ticket.wait_word.load()};
    if (outcome.state() == WaitState::kGranted) {
      EXPECT_TRUE(free_slot(view(), pool, outcome.slot(),
                            SlotWord::make(SlotState::kGranted, waiter->id())));
    }
    EXPECT_EQ(SlotWord::free(), load_slot(unit)) << "the unit is lost, round " << round;
  }
  done = true;
  leaver.join();
  expect_whole(view(), pool, kMaxSlotsPerPool);
}

}  // namespace
}  // namespace oxpool::shm
