// One acquire, step by step, beside workers in other processes' places.
#include <gtest/gtest.h>

#include "shm/queue.h"
#include "shm/slot.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;

class AcquireSteps : public ::testing::Test {
 protected:
  AcquireSteps() : server_(few()), a_(server_.runtime_dir()), b_(server_.runtime_dir()) {}

  uint64_t counted(Pool& pool, Counter counter) {
    return pool.seat().counts.counters[static_cast<int>(counter)];
  }
  CloseReason flag_of(const LocalSlot& slot) { return shm::load_slot(*slot.record).reason(); }
  // As if the slot had come back so long ago.
  void idle_since(LocalSlot& slot, int64_t ago_ns) {
    slot.record->changed_ns = a_.process().shared_coarse_ns() - ago_ns;
  }

  HandshakeServer server_;
  Worker a_;
  Worker b_;
};

TEST_F(AcquireSteps, OwnIdleThenFreeUnitThenSaturated) {
  auto mine = a_.open("p", pool_of(2));
  auto theirs = b_.open("p", pool_of(2));
  LocalSlot& own = take(*mine);
  give_back(*mine, own);
  EXPECT_EQ(Next::kReuse, acquire_from(*mine, 0).next);
  EXPECT_EQ(Next::kMint, acquire_from(*theirs, 0).next);
  EXPECT_EQ(Next::kSaturated, acquire_from(*mine, 0).next);
  EXPECT_EQ(Next::kSaturated, acquire_from(*theirs, 0).next);
  EXPECT_EQ(1u, counted(*mine, Counter::acquire_saturated));
  expect_whole(mine->lane().view(), mine->record(), 2);
}

TEST_F(AcquireSteps, SaturatedTryAsksForAnIdleSlotOfAnother) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  LocalSlot& slot = take(*theirs);
  give_back(*theirs, slot);
  EXPECT_EQ(Next::kSaturated, acquire_from(*mine, 0).next);
  EXPECT_EQ(CloseReason::kNone, flag_of(slot)) << "its owner has just used it";
  idle_since(slot, 100 * kMilli);
  EXPECT_EQ(Next::kSaturated, acquire_from(*mine, 0).next);
  EXPECT_EQ(CloseReason::kHandOver, flag_of(slot));
  EXPECT_TRUE(b_.lane().has_attention());
  EXPECT_EQ(&slot, theirs->take_flagged()) << "though nobody waits";
}

TEST_F(AcquireSteps, StrictPoolAsksForNothing) {
  shm::PoolRequest request = pool_of(1);
  request.rebalance = shm::Rebalance::kStrict;
  auto mine = a_.open("p", request);
  auto theirs = b_.open("p", request);
  LocalSlot& slot = take(*theirs);
  give_back(*theirs, slot);
  idle_since(slot, kSecond);
  EXPECT_EQ(Next::kSaturated, acquire_from(*mine, 0).next);
  Acquire acquire(*mine, kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, acquire.step(0).next);
  EXPECT_EQ(CloseReason::kNone, flag_of(slot));
}

TEST_F(AcquireSteps, WaiterAsksForAnIdleSlotAndIsServedWhenItCloses) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  LocalSlot& slot = take(*theirs);
  give_back(*theirs, slot);
  idle_since(slot, 100 * kMilli);
  Acquire acquire(*mine, kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, acquire.step(0).next);
  ASSERT_EQ(&slot, theirs->take_flagged());
  EXPECT_EQ(Next::kWait, acquire.step(0).next) << "not before destroy has run";
  theirs->finish_close(slot);
  EXPECT_EQ(Next::kMint, acquire.step(0).next);
  EXPECT_EQ(1u, theirs->seat().counts.evicted[static_cast<int>(CloseReason::kReclaim)]);
}

TEST_F(AcquireSteps, TimeoutComesAtTheDeadlineAndSaysEverything) {
  auto mine = a_.open("orders", pool_of(1));
  auto theirs = b_.open("orders", pool_of(1));
  take(*theirs);
  const int64_t before_ns = shm::monotonic_ns();
  Acquire acquire(*mine, 60 * kMilli, before_ns);
  EXPECT_EQ(Next::kTimeout, run(acquire, *mine).next);
  EXPECT_GE(shm::monotonic_ns() - before_ns, 60 * kMilli);
  EXPECT_EQ(1u, counted(*mine, Counter::acquire_timeout));
  const std::string text = acquire.describe(Next::kTimeout);
  for (const char* part : {"pool 'orders'", "no slot within 60 ms", "in use 1", "idle 0",
                           "minting 0", "closing 0", "waiting 0", "max 1", "waited "}) {
    EXPECT_NE(std::string::npos, text.find(part)) << text << " has no " << part;
  }
  expect_whole(mine->lane().view(), mine->record(), 1);
}

TEST_F(AcquireSteps, DeadlineCountsFromTheCallersStart) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  take(*theirs);
  Acquire acquire(*mine, 600 * kSecond, shm::monotonic_ns() - 601 * kSecond);
  Acquire::Step step = acquire.step(0);
  if (step.next == Next::kWait) step = acquire.step(0);
  EXPECT_EQ(Next::kTimeout, step.next) << "what the caller did before counts, too";
}

TEST_F(AcquireSteps, FirstAttemptIsMadeWhateverTheTime) {
  auto mine = a_.open("p", pool_of(1));
  Acquire acquire(*mine, 1, shm::monotonic_ns() - kSecond);
  EXPECT_EQ(Next::kMint, acquire.step(0).next);
}

TEST_F(AcquireSteps, SecondAttemptIsNotBegunPastTheDeadline) {
  auto mine = a_.open("p", pool_of(2));
  LocalSlot& slot = take(*mine);
  give_back(*mine, slot);
  ASSERT_TRUE(shm::flag_idle(server_.view(), *slot.record, CloseReason::kEvict));
  Acquire first(*mine, kSecond, shm::monotonic_ns() - 2 * kSecond);
  const Acquire::Step close = first.step(0);
  ASSERT_EQ(Next::kClose, close.next) << "closing is no attempt";
  mine->finish_close(*close.slot);
  EXPECT_EQ(Next::kMint, first.step(0).next);
}

TEST_F(AcquireSteps, LastMomentGrantIsTaken) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  LocalSlot& slot = take(*theirs);
  Acquire acquire(*mine, 40 * kMilli, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  while (acquire.waited_ns() < 40 * kMilli) usleep(1000);
  EXPECT_FALSE(give_back(*theirs, slot));
  EXPECT_EQ(Next::kMint, acquire.step(kSecond).next) << "it was granted before it gave up";
  expect_whole(mine->lane().view(), mine->record(), 1);
}

TEST_F(AcquireSteps, TryDoesNotOvertakeWhoWaits) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  LocalSlot& slot = take(*theirs);
  Acquire waiter(*mine, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, waiter.step(0).next);
  // The unit comes free, and whoever freed it has not come to serving.
  ASSERT_TRUE(theirs->begin_close(slot, CloseReason::kDiscard));
  ASSERT_TRUE(shm::free_slot(mine->lane().view(), mine->record(), slot.index,
                             shm::load_slot(*slot.record)));
  Worker late(server_.runtime_dir());
  auto third = late.open("p", pool_of(1));
  EXPECT_EQ(Next::kSaturated, acquire_from(*third, 0).next);
  EXPECT_EQ(Next::kMint, waiter.step(0).next);
}

TEST_F(AcquireSteps, TryServesTheQueueAndTakesWhatIsLeft) {
  auto mine = a_.open("p", pool_of(2));
  auto theirs = b_.open("p", pool_of(2));
  LocalSlot* held[] = {&take(*theirs), &take(*theirs)};
  Acquire waiter(*mine, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, waiter.step(0).next);
  for (LocalSlot* slot : held) {
    ASSERT_TRUE(theirs->begin_close(*slot, CloseReason::kDiscard));
    shm::free_slot(mine->lane().view(), mine->record(), slot->index, shm::load_slot(*slot->record));
  }
  EXPECT_EQ(Next::kMint, acquire_from(*theirs, 0).next);
  EXPECT_EQ(Next::kMint, waiter.step(0).next);
}

TEST_F(AcquireSteps, UnlimitedWaitForOneselfIsADeadlock) {
  auto mine = a_.open("p", pool_of(2));
  take(*mine);
  LocalSlot& second = take(*mine);
  Acquire acquire(*mine, Acquire::kForever, shm::monotonic_ns());
  EXPECT_EQ(Next::kDeadlock, acquire.step(0).next);
  EXPECT_EQ(1u, counted(*mine, Counter::failed_deadlock));
  EXPECT_NE(std::string::npos, acquire.describe(Next::kDeadlock).find("held by this thread"));
  ASSERT_TRUE(mine->begin_close(second, CloseReason::kDiscard));
  Acquire closing(*mine, Acquire::kForever, shm::monotonic_ns());
  EXPECT_EQ(Next::kDeadlock, closing.step(0).next) << "destroy acquires: nobody else frees it";
}

TEST_F(AcquireSteps, TimedWaitForOneselfTimesOut) {
  auto mine = a_.open("p", pool_of(1));
  take(*mine);
  EXPECT_EQ(Next::kTimeout, acquire_from(*mine, 30 * kMilli).next);
}

TEST_F(AcquireSteps, WaitForAnotherIsNoDeadlock) {
  auto mine = a_.open("p", pool_of(2));
  auto theirs = b_.open("p", pool_of(2));
  take(*mine);
  take(*theirs);
  Acquire acquire(*mine, Acquire::kForever, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, acquire.step(0).next);
}

TEST_F(AcquireSteps, CancelLeavesTheQueue) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  take(*theirs);
  Acquire acquire(*mine, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  EXPECT_EQ(1u, mine->counts().waiting);
  acquire.interrupt();
  EXPECT_FALSE(acquire.queued());
  EXPECT_EQ(0u, mine->counts().waiting);
  acquire.cancel();
  EXPECT_EQ(1u, counted(*mine, Counter::failed_interrupted));
  expect_whole(mine->lane().view(), mine->record(), 1);
}

TEST_F(AcquireSteps, CancelAfterAGrantGivesItToTheNext) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  Worker third(server_.runtime_dir());
  auto last = third.open("p", pool_of(1));
  LocalSlot& slot = take(*theirs);
  Acquire first(*mine, kSecond, shm::monotonic_ns());
  Acquire second(*last, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, first.step(0).next);
  ASSERT_EQ(Next::kWait, second.step(0).next);
  give_back(*theirs, slot);
  first.cancel();
  EXPECT_EQ(Next::kMint, second.step(0).next);
  expect_whole(mine->lane().view(), mine->record(), 1);
}

TEST_F(AcquireSteps, NoTicketLeftIsSaid) {
  auto mine = a_.open("p", pool_of(1));
  auto theirs = b_.open("p", pool_of(1));
  take(*theirs);
  std::vector<std::unique_ptr<Acquire>> waits;  // the lane's own ticket and all four extra ones
  for (int i = 0; i < 5; ++i) {
    waits.push_back(std::make_unique<Acquire>(*mine, kSecond, shm::monotonic_ns()));
    ASSERT_EQ(Next::kWait, waits.back()->step(0).next);
  }
  Acquire one_more(*mine, kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kCapacity, one_more.step(0).next);
  EXPECT_NE(std::string::npos, one_more.describe(Next::kCapacity).find("limits.extra_tickets"));
  EXPECT_EQ(1u, counted(*mine, Counter::failed_capacity));
  waits[2].reset();
  Acquire again(*mine, kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, again.step(0).next);
}

TEST_F(AcquireSteps, OneMoreThanMayWaitIsRefusedAtOnce) {
  shm::PoolRequest request = pool_of(1);
  request.max_waiting = 1;
  auto mine = a_.open("p", request);
  auto theirs = b_.open("p", request);
  LocalSlot& slot = take(*theirs);
  Acquire first(*mine, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, first.step(0).next);
  Acquire second(*mine, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kCrowded, second.step(0).next);
  EXPECT_NE(std::string::npos, second.describe(Next::kCrowded).find("maxWaiting 1"));
  EXPECT_EQ(1u, mine->counts().waiting);
  EXPECT_EQ(1u, mine->seat().counts.counters[static_cast<int>(shm::Counter::failed_max_waiting)]);
  give_back(*theirs, slot);
  EXPECT_EQ(Next::kMint, first.step(0).next) << "the queue is as if it had not come";
}

TEST_F(AcquireSteps, WhoseUnitIsFreeDoesNotWaitWhateverTheLimit) {
  shm::PoolRequest request = pool_of(1);
  request.max_waiting = 0;
  auto mine = a_.open("p", request);
  auto theirs = b_.open("p", request);
  LocalSlot& slot = take(*theirs);
  Acquire refused(*mine, Acquire::kForever, shm::monotonic_ns());
  ASSERT_EQ(Next::kCrowded, refused.step(0).next);
  theirs->begin_close(slot, shm::CloseReason::kDiscard);
  theirs->finish_close(slot);
  EXPECT_EQ(Next::kMint, acquire_from(*mine, 60 * kSecond).next);
}

TEST_F(AcquireSteps, PastTheDeadlineAFurtherAttemptIsNotBegun) {
  auto mine = a_.open("p", pool_of(4));
  const int64_t long_ago_ns = shm::monotonic_ns() - 2 * kSecond;
  Acquire again(*mine, kSecond, long_ago_ns, true);
  EXPECT_EQ(Next::kTimeout, again.step(0).next) << "though units are free";
  Acquire unlimited(*mine, Acquire::kForever, long_ago_ns, true);
  EXPECT_EQ(Next::kMint, unlimited.step(0).next);
}

}  // namespace
}  // namespace oxpool::test
