// Waiting: who hands over when, and nested and abandoned waits.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>

#include "shm/queue.h"
#include "tests/unit/owner_and_waiter.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/wait_until.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;

TEST_F(OwnerAndWaiter, WithoutPatienceTheNextReleaseHandsOver) {
  open(pool_of(1, 0));
  LocalSlot& slot = busy_owner();
  wait_for_it();
  ASSERT_EQ(Release::kClose, owned_->release(slot));
  EXPECT_EQ(Next::kWait, wait_->step(0).next) << "not before the resource is closed";
  owned_->finish_close(slot);
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
  EXPECT_EQ(1u, counted(*owned_, Counter::hand_overs));
  EXPECT_EQ(0u, counted(*owned_, Counter::overtakings));
  EXPECT_EQ(1u, owned_->seat().counts.evicted[static_cast<int>(CloseReason::kHandOver)]);
  expect_whole(owned_->lane().view(), owned_->record(), 1);
}

TEST_F(OwnerAndWaiter, BusyOwnerKeepsItsSlotWithinThePatienceAndNoLonger) {
  constexpr int64_t kPatienceMs = 60;
  open(pool_of(1, kPatienceMs));
  LocalSlot* slot = &busy_owner();
  wait_for_it();
  const int64_t before_ns = shm::monotonic_ns();
  ASSERT_TRUE(wait_until([&] {
    if (!give_back(*owned_, *slot)) return true;
    slot = owned_->reuse_idle();
    return slot == nullptr;
  }));
  EXPECT_GE(shm::monotonic_ns() - before_ns, kPatienceMs * kMilli);
  EXPECT_GT(counted(*owned_, Counter::overtakings), 1u);
  EXPECT_EQ(Next::kMint, run(*wait_, *waited_).next);
}

TEST_F(OwnerAndWaiter, OwnerWithOtherThingsToDoHandsOverAtOnce) {
  open(pool_of(1, 60'000));
  LocalSlot& slot = take(*owned_);
  owned_->record().factory_mean_ns = kFactoryNs;  // dear, but this owner never asked again
  wait_for_it();
  EXPECT_FALSE(give_back(*owned_, slot));
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, CheapFactoryHandsOverAtOnce) {
  open(pool_of(1, 60'000));
  LocalSlot& slot = busy_owner();
  owned_->record().factory_mean_ns = 10'000;
  wait_for_it();
  EXPECT_FALSE(give_back(*owned_, slot));
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, StrictKeepsAndTheWaiterTimesOut) {
  shm::PoolRequest request = pool_of(1, 0);
  request.rebalance = shm::Rebalance::kStrict;
  open(request);
  LocalSlot& slot = busy_owner();
  wait_for_it(80 * kMilli);
  EXPECT_TRUE(give_back(*owned_, slot));
  EXPECT_EQ(Next::kTimeout, run(*wait_, *waited_).next);
  EXPECT_EQ(&slot, owned_->reuse_idle()) << "nobody flagged it";
}

TEST_F(OwnerAndWaiter, StrictWaiterIsServedByDiscardAndEviction) {
  shm::PoolRequest request = pool_of(1, 0);
  request.rebalance = shm::Rebalance::kStrict;
  open(request);
  LocalSlot& slot = busy_owner();
  wait_for_it();
  EXPECT_TRUE(give_back(*owned_, slot));
  LocalSlot* evicted = owned_->take_idle(CloseReason::kEvict);
  ASSERT_EQ(&slot, evicted);
  owned_->finish_close(*evicted);
  EXPECT_EQ(Next::kMint, run(*wait_, *waited_).next);
}

TEST_F(OwnerAndWaiter, FailedFactoryServesTheNext) {
  open(pool_of(1));
  Acquire acquire(*owned_, 0, shm::monotonic_ns());
  const Acquire::Step step = acquire.step(0);
  ASSERT_EQ(Next::kMint, step.next);
  wait_for_it();
  owned_->mint_failed(*step.slot);
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, PoolThatGoesServesTheNext) {
  open(pool_of(1));
  take(*owned_);
  wait_for_it();
  owned_.reset();
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, RaisedCapServesTheNext) {
  open(pool_of(1));
  take(*owned_);
  wait_for_it();
  Worker later(server_.runtime_dir());
  auto raises = later.open("p", pool_of(2));
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, SlotsOfOnesOwnThreadThatComeBackMeanwhileAreUsed) {
  open(pool_of(2, 60'000));
  LocalSlot& mine = take(*waited_);
  take(*owned_);
  waited_->record().factory_mean_ns = 3600 * kSecond;  // so the release keeps it
  for (int i = 0; i < 3; ++i) {
    give_back(*waited_, mine);
    waited_->reuse_idle();
  }
  wait_for_it();
  ASSERT_TRUE(give_back(*waited_, mine)) << "a signal handler, or another fiber";
  const Acquire::Step step = wait_->step(0);
  EXPECT_EQ(Next::kReuse, step.next) << "it waits for others while its own slot is idle";
  EXPECT_EQ(&mine, step.slot);
  EXPECT_EQ(0u, waited_->counts().waiting);
  expect_whole(waited_->lane().view(), waited_->record(), 2);
}

TEST_F(OwnerAndWaiter, NestedWaitHasItsOwnPlace) {
  open(pool_of(1));
  auto other = owner_.open("other", pool_of(1));
  auto nested_pool = waiter_.open("other", pool_of(1));
  LocalSlot& outer_slot = take(*owned_);
  LocalSlot& inner_slot = take(*other);
  wait_for_it();
  {
    Acquire nested(*nested_pool, 60 * kSecond, shm::monotonic_ns());
    ASSERT_EQ(Next::kWait, nested.step(0).next);
    EXPECT_EQ(1u, nested_pool->counts().waiting);
    EXPECT_EQ(1u, waited_->counts().waiting);
    give_back(*other, inner_slot);
    EXPECT_EQ(Next::kMint, run(nested, *nested_pool).next);
  }
  EXPECT_EQ(0u, server_.view().ticket(64)->owner.load()) << "the extra ticket comes back";
  EXPECT_EQ(Next::kWait, wait_->step(0).next);
  give_back(*owned_, outer_slot);
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
}

TEST_F(OwnerAndWaiter, NestedWaitAtTheSamePoolComesAfterTheOuterOne) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  wait_for_it();
  Acquire nested(*waited_, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, nested.step(0).next);
  give_back(*owned_, slot);
  EXPECT_EQ(Next::kWait, nested.step(0).next);
  const Acquire::Step outer = run(*wait_, *waited_);
  ASSERT_EQ(Next::kMint, outer.next);
  EXPECT_FALSE(give_back(*waited_, *outer.slot)) << "the next waiter is this very thread";
  EXPECT_EQ(Next::kMint, nested.step(0).next);
}

TEST_F(OwnerAndWaiter, WaitsThatWereJumpedOutOfAreCancelledByTheLane) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  // Its destructor never runs: a longjmp went over the frame.
  alignas(Acquire) char outer_frame[sizeof(Acquire)];
  alignas(Acquire) char inner_frame[sizeof(Acquire)];
  auto* outer = new (outer_frame) Acquire(*waited_, 60 * kSecond, shm::monotonic_ns());
  auto* inner = new (inner_frame) Acquire(*waited_, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, outer->step(0).next);
  ASSERT_EQ(Next::kWait, inner->step(0).next);
  give_back(*owned_, slot);  // granted to the outer one, which will never accept it
  waiter_.lane().cancel_waits();
  EXPECT_EQ(0u, waited_->counts().waiting + waited_->counts().minting);
  expect_whole(waited_->lane().view(), waited_->record(), 1);
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 0).next);
}

// Real sleepers in threads of their own, served in the order in which they came.
TEST_F(OwnerAndWaiter, SleepersAreServedInOrderOfArrival) {
  constexpr int kSleepers = 6;
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  std::atomic<int> served{0};
  std::vector<int> order(kSleepers, -1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kSleepers; ++i) {
    threads.emplace_back([&, i] {
      Worker worker(server_.runtime_dir());
      auto pool = worker.open("p", pool_of(1));
      Acquire acquire(*pool, Acquire::kForever, shm::monotonic_ns());
      const Acquire::Step step = run(acquire, *pool, kSecond);
      ASSERT_EQ(Next::kMint, step.next);
      order[i] = served++;
      give_back(*pool, *step.slot);
    });
    ASSERT_TRUE(
        wait_until([&] { return owned_->counts().waiting == static_cast<uint32_t>(i + 1); }));
  }
  give_back(*owned_, slot);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kSleepers; ++i) EXPECT_EQ(i, order[i]);
  expect_whole(owned_->lane().view(), owned_->record(), 1);
}

TEST_F(OwnerAndWaiter, UnitWithoutAHintIsFoundByTheWaiter) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  wait_for_it();
  // Its freer died before it set the hint, and before it looked for waiters.
  slot.record->word = shm::SlotWord::free().raw;
  EXPECT_EQ(Next::kMint, run(*wait_, *waited_, 120 * kMilli).next);
}

TEST_F(OwnerAndWaiter, SlicesAreShortWhileInterruptibleAndGrowWithTheQueue) {
  open(pool_of(1));
  EXPECT_EQ(100 * kMilli, wait_slice_ns(*owned_, true));
  EXPECT_EQ(100 * kMilli, wait_slice_ns(*owned_, false));
  owned_->record().pressure = shm::PressureWord::make(320, 0).raw;
  EXPECT_EQ(100 * kMilli, wait_slice_ns(*owned_, true));
  EXPECT_EQ(kSecond, wait_slice_ns(*owned_, false));
  owned_->record().pressure = shm::PressureWord::make(100'000, 0).raw;
  EXPECT_EQ(kSecond, wait_slice_ns(*owned_, false));
  owned_->record().pressure = 0;
}

}  // namespace
}  // namespace oxpool::test
