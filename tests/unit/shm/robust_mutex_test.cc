// The lock: exclusion, death of a holder, timeouts, fencing.
#include "shm/robust_mutex.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "shm/burial.h"
#include "tests/unit/child_process.h"
#include "tests/unit/rendezvous.h"
#include "tests/unit/segment_host.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::ChildProcess;
using test::SegmentHost;
using test::SharedPage;
using test::wait_until;

constexpr int64_t kLong = 60 * kNanosPerSecond;

class RobustLock : public SegmentHost {
 protected:
  // Any word of the segment does; this one guards the tables.
  Word64& word() { return view().header().table_lock; }
  LockResult lock(AttachedLane& lane, int64_t timeout_ns = kLong) {
    return RobustMutex::lock(word(), lane.context(), timeout_ns);
  }
};

TEST_F(RobustLock, NamesItsHolderAndIsFreeAgain) {
  auto a = attach();
  EXPECT_EQ(kNobody, RobustMutex::holder(word()));
  EXPECT_EQ(LockResult::kAcquired, lock(*a));
  EXPECT_EQ(a->id(), RobustMutex::holder(word()));
  EXPECT_TRUE(RobustMutex::unlock(word(), a->id()));
  EXPECT_EQ(0u, word().load());
}

TEST_F(RobustLock, TryFindsItHeld) {
  auto a = attach();
  auto b = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a, 0));
  EXPECT_EQ(LockResult::kTimeout, lock(*b, 0));
  EXPECT_EQ(LockResult::kTimeout, lock(*a, 0)) << "not recursive";
  EXPECT_TRUE(RobustMutex::unlock(word(), a->id()));
  EXPECT_EQ(LockResult::kAcquired, lock(*b, 0));
}

TEST_F(RobustLock, TimeoutIsNotEarly) {
  auto a = attach();
  auto b = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  const int64_t before_ns = monotonic_ns();
  EXPECT_EQ(LockResult::kTimeout, lock(*b, 35 * kNanosPerMilli));
  EXPECT_GE(monotonic_ns() - before_ns, 35 * kNanosPerMilli);
  EXPECT_EQ(a->id(), RobustMutex::holder(word())) << "a living holder keeps it";
}

TEST_F(RobustLock, UnlockByWhoDoesNotHoldItChangesNothing) {
  auto a = attach();
  auto b = attach();
  EXPECT_FALSE(RobustMutex::unlock(word(), a->id()));
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  EXPECT_FALSE(RobustMutex::unlock(word(), b->id()));
  EXPECT_EQ(a->id(), RobustMutex::holder(word()));
}

TEST_F(RobustLock, WaiterGetsItFromTheHolder) {
  auto a = attach();
  auto b = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  std::atomic<bool> released{false};
  std::thread waiter([&] {
    EXPECT_EQ(LockResult::kAcquired, lock(*b));
    EXPECT_TRUE(released);
    EXPECT_TRUE(RobustMutex::unlock(word(), b->id()));
  });
  // W is set by who is about to sleep.
  EXPECT_TRUE(wait_until([&] { return (word().load() & 1) != 0; }));
  released = true;
  EXPECT_TRUE(RobustMutex::unlock(word(), a->id()));
  waiter.join();
}

// Counts up, not atomically, in a way that is torn when two are inside.
void count_slowly(volatile int& counter) {
  const int seen = counter;
  for (int i = 0; i < 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
  counter = seen + 1;
}

TEST_F(RobustLock, ExcludesThreads) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 60000;
  std::vector<std::unique_ptr<AttachedLane>> lanes;
  for (int i = 0; i < kThreads; ++i) lanes.push_back(attach());
  int counter = 0;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_EQ(LockResult::kAcquired, lock(*lanes[i]));
        count_slowly(counter);
        EXPECT_TRUE(RobustMutex::unlock(word(), lanes[i]->id()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kThreads * kRounds, counter);
}

struct Hammer {
  std::atomic<int> ready{0};
  int counter = 0;
};

TEST_F(RobustLock, ExcludesProcesses) {
  constexpr int kProcesses = 3;
  constexpr int kRounds = 100000;
  SharedPage<Hammer> shared;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (uint32_t i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<ChildProcess>([&, i] {
      AttachedLane lane(view(), lock_path(), 1 + i);
      ++shared->ready;
      while (shared->ready < kProcesses) usleep(10);
      for (int round = 0; round < kRounds; ++round) {
        if (lock(lane) != LockResult::kAcquired) return 1;
        count_slowly(shared->counter);
        if (!RobustMutex::unlock(word(), lane.id())) return 2;
      }
      return 0;
    }));
  }
  for (auto& child : children) EXPECT_EQ(0, child->wait());
  EXPECT_EQ(kProcesses * kRounds, shared->counter);
}

struct Seen {
  std::atomic<bool> inside{false};
  std::atomic<int> owner_died{0};
  std::atomic<int> acquired{0};
};

TEST_F(RobustLock, HolderKilledInsideIsNoticedByExactlyOneWaiter) {
  SharedPage<Seen> seen;
  ChildProcess holder([&] {
    AttachedLane lane(view(), lock_path(), 1);
    lock(lane);
    seen->inside = true;
    pause();
    return 0;
  });
  ASSERT_TRUE(wait_until([&] { return seen->inside.load(); }));
  std::vector<std::unique_ptr<ChildProcess>> waiters;
  for (uint32_t i = 2; i <= 4; ++i) {
    waiters.push_back(std::make_unique<ChildProcess>([&, i] {
      AttachedLane lane(view(), lock_path(), i);
      const LockResult result = lock(lane);
      if (result == LockResult::kTimeout) return 1;
      ++(result == LockResult::kOwnerDied ? seen->owner_died : seen->acquired);
      return RobustMutex::unlock(word(), lane.id()) ? 0 : 2;
    }));
  }
  ASSERT_TRUE(wait_until([&] { return (word().load() & 1) != 0; }));
  EXPECT_EQ(0, seen->owner_died + seen->acquired);
  holder.kill_and_wait();
  for (auto& waiter : waiters) EXPECT_EQ(0, waiter->wait());
  EXPECT_EQ(1, seen->owner_died);
  EXPECT_EQ(2, seen->acquired);
}

// Two heirs of one dead holder at once: judging it and taking from it must be one step.
TEST_F(RobustLock, OneHeirInheritsFromADeadHolder) {
  constexpr int kRounds =
      4000;  // each needs both threads to run, which costs turns on a busy machine
  auto dead = attach();
  const uint64_t dead_word = dead->id().raw << 1;
  dead->die();
  auto first = attach();
  auto second = attach();
  std::atomic<int> heirs{0};
  test::Rendezvous rounds;
  std::thread other([&] {
    for (int round = 0; round < kRounds; ++round) {
      rounds.meet();
      if (lock(*second, 0) == LockResult::kOwnerDied) ++heirs;
      rounds.meet();
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    word().store(dead_word);
    heirs = 0;
    rounds.meet();
    if (lock(*first, 0) == LockResult::kOwnerDied) ++heirs;
    rounds.meet();
    EXPECT_EQ(1, heirs);
  }
  other.join();
}

TEST_F(RobustLock, KilledWaiterTakesNothingFromALivingHolder) {
  auto a = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  ChildProcess waiter([&] {
    AttachedLane lane(view(), lock_path(), 9);
    return lock(lane) == LockResult::kTimeout ? 0 : 1;
  });
  ASSERT_TRUE(wait_until([&] { return (word().load() & 1) != 0; }));
  waiter.kill_and_wait();
  auto b = attach();
  EXPECT_EQ(LockResult::kTimeout, lock(*b, 30 * kNanosPerMilli));
  EXPECT_TRUE(RobustMutex::unlock(word(), a->id()));
  EXPECT_EQ(LockResult::kAcquired, lock(*b));
}

TEST_F(RobustLock, TryFindsADeadHolder) {
  auto a = attach();
  auto b = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  a->die();
  EXPECT_EQ(LockResult::kOwnerDied, lock(*b, 0));
  EXPECT_EQ(b->id(), RobustMutex::holder(word()));
}

TEST_F(RobustLock, BuriedHolderIsFenced) {
  auto a = attach();
  auto b = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  close_lane(view(), a->id());  // buried alive: its token is still held
  EXPECT_EQ(LockResult::kOwnerDied, lock(*b, 0));
  EXPECT_FALSE(RobustMutex::unlock(word(), a->id()));
  EXPECT_EQ(b->id(), RobustMutex::holder(word()));
}

TEST_F(RobustLock, NewOwnerOfALaneIsNotTakenForTheHolder) {
  auto a = attach();
  ASSERT_EQ(LockResult::kAcquired, lock(*a));
  const OwnerId old = a->id();
  a->die();
  close_lane(view(), old);
  auto again = attach();
  ASSERT_EQ(old.lane(), again->id().lane());
  EXPECT_FALSE(RobustMutex::unlock(word(), again->id())) << "it never locked";
  auto b = attach();
  EXPECT_EQ(LockResult::kOwnerDied, lock(*b, 0)) << "the lane lives, its former owner does not";
  EXPECT_FALSE(RobustMutex::unlock(word(), old));
}

TEST_F(RobustLock, ScribbledHolderIsTakenForDead) {
  auto a = attach();
  for (const uint64_t garbage :
       {~uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{0xdeadbeef} << 20}) {
    word().store(garbage);
    EXPECT_EQ(LockResult::kOwnerDied, lock(*a, 0)) << garbage;
    EXPECT_TRUE(RobustMutex::unlock(word(), a->id()));
  }
}

TEST_F(RobustLock, FencedLaneIsNotLetIn) {
  auto a = attach();
  auto b = attach();
  PoolRecord& pool = make_pool("p", 2, *b);
  close_lane(view(), a->id());
  // Whoever came next would take it for dead and be inside at the same time.
  EXPECT_FALSE(TableLock(view(), a->context(), 0).held());
  EXPECT_FALSE(PoolLock(view(), pool, a->context(), 0).held());
  EXPECT_TRUE(TableLock(view(), b->context(), 0).held());
  EXPECT_TRUE(PoolLock(view(), pool, b->context(), 0).held());
}

}  // namespace
}  // namespace oxpool::shm
