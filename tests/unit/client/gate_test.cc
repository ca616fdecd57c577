// A pool that an operator has paused or drained.
#include "shm/gate.h"

#include <gtest/gtest.h>

#include <thread>

#include "shm/operator.h"
#include "tests/unit/owner_and_waiter.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/wait_until.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;
using shm::Gate;

class GateTest : public OwnerAndWaiter {
 protected:
  GateTest() { open(pool_of(2)); }

  void set(Gate gate, int64_t until_ns = 0) {
    shm::set_gate(owner_.lane().view(), record(), owner_.lane().lock_context(), gate, until_ns);
  }
  int64_t now_ns() { return owner_.process().shared_monotonic_ns(); }
  shm::PoolRecord& record() { return owned_->record(); }
};

TEST_F(GateTest, PausedPoolGivesOutNothing) {
  give_back(*owned_, take(*owned_));
  set(Gate::kWait);
  EXPECT_EQ(nullptr, owned_->reuse_idle());
  EXPECT_EQ(nullptr, owned_->take_warmest());
  EXPECT_EQ(nullptr, owned_->reserve_ahead(2));
  EXPECT_EQ(Next::kSaturated, acquire_from(*owned_, 0).next);
  EXPECT_EQ(Next::kSaturated, acquire_from(*waited_, 0).next);
  EXPECT_EQ(Next::kTimeout, acquire_from(*owned_, 30 * kMilli).next);
  EXPECT_EQ(1u, owned_->counts().idle) << "and keeps what it has";
  set(Gate::kOpen);
  EXPECT_EQ(Next::kReuse, acquire_from(*owned_, 0).next);
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 0).next);
  expect_whole(owner_.lane().view(), record(), 2);
}

TEST_F(GateTest, HolderOfAPausedPoolIsNotDisturbed) {
  LocalSlot& slot = take(*owned_);
  set(Gate::kWait);
  EXPECT_TRUE(give_back(*owned_, slot)) << "the resource stays";
  EXPECT_EQ(nullptr, owned_->take_flagged());
}

TEST_F(GateTest, WhoWaitsAtAPausedPoolIsServedInOrderOnceItIsOpen) {
  set(Gate::kWait);
  wait_for_it();
  Acquire second(*owned_, 60 * kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, second.step(0).next);
  EXPECT_EQ(Next::kWait, wait_->step(kMilli).next);
  set(Gate::kOpen);
  EXPECT_EQ(Next::kMint, wait_->step(0).next);
  EXPECT_EQ(Next::kMint, second.step(0).next);
}

TEST_F(GateTest, PauseEndsByItselfAndServesWhoWaits) {
  set(Gate::kWait, now_ns() + 60 * kMilli);
  const int64_t before_ns = shm::monotonic_ns();
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 60 * kSecond).next);
  EXPECT_GE(shm::monotonic_ns() - before_ns, 50 * kMilli);
  EXPECT_TRUE(shm::is_open(record()));
}

TEST_F(GateTest, PauseThatIsOverIsNoObstacle) {
  set(Gate::kFail, now_ns() - 10 * kMilli);
  EXPECT_EQ(Next::kMint, acquire_from(*owned_, 0).next);
  EXPECT_TRUE(shm::is_open(record()));
}

TEST_F(GateTest, FailModeRefusesNewOnesAndThoseWhoWait) {
  set(Gate::kWait);
  wait_for_it();
  set(Gate::kFail);
  EXPECT_EQ(Next::kClosed, wait_->step(kMilli).next);
  EXPECT_EQ(Next::kClosed, acquire_from(*owned_, 0).next);
  EXPECT_EQ(Next::kClosed, acquire_from(*owned_, kSecond).next);
  EXPECT_EQ(Next::kClosed, acquire_from(*owned_, Acquire::kForever).next);
  EXPECT_EQ(3u, counted(*owned_, Counter::acquire_closed));
  EXPECT_EQ(1u, counted(*waited_, Counter::acquire_closed));
  expect_whole(owner_.lane().view(), record(), 2);
  Acquire refused(*owned_, 0, shm::monotonic_ns());
  EXPECT_NE(std::string::npos, refused.describe(Next::kClosed).find("paused by an operator"));
}

TEST_F(GateTest, SleeperIsWokenWhenThePoolStartsToRefuse) {
  set(Gate::kWait);
  std::thread sleeper([&] {
    Worker worker(server_.runtime_dir());
    auto pool = worker.open("p", pool_of(2));
    Acquire acquire(*pool, 60 * kSecond, shm::monotonic_ns());
    // One long slice: only a wake-up ends it in time.
    EXPECT_EQ(Next::kClosed, run(acquire, *pool, 30 * kSecond).next);
    EXPECT_LT(acquire.waited_ns(), 20 * kSecond);
  });
  EXPECT_TRUE(wait_until([&] { return owned_->counts().waiting == 1; }));
  set(Gate::kFail);
  sleeper.join();
}

TEST_F(GateTest, DrainedPoolClosesWhatIsIdleAndWhatComesBack) {
  LocalSlot& kept = take(*owned_);
  LocalSlot& held = take(*owned_);
  give_back(*owned_, kept);
  set(Gate::kDrained);
  EXPECT_EQ(1u, shm::flag_all_idle(owner_.lane().view(), record(), CloseReason::kDrain));
  LocalSlot* flagged = owned_->take_flagged();
  ASSERT_EQ(&kept, flagged);
  owned_->finish_close(*flagged);
  EXPECT_FALSE(give_back(*owned_, held));
  EXPECT_EQ(0u, owned_->counts().size());
  EXPECT_EQ(2u, owned_->seat().counts.evicted[static_cast<int>(CloseReason::kDrain)]);
  EXPECT_EQ(Next::kClosed, acquire_from(*waited_, 0).next);
  Acquire refused(*owned_, 0, shm::monotonic_ns());
  EXPECT_NE(std::string::npos, refused.describe(Next::kClosed).find("drained by an operator"));
  set(Gate::kOpen);
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 0).next);
}

TEST_F(GateTest, FlagOfADrainThatWasTakenBackIsCleared) {
  LocalSlot& slot = take(*owned_);
  give_back(*owned_, slot);
  set(Gate::kDrained);
  EXPECT_EQ(1u, shm::flag_all_idle(owner_.lane().view(), record(), CloseReason::kDrain));
  set(Gate::kOpen);
  EXPECT_EQ(nullptr, owned_->take_flagged());
  EXPECT_EQ(&slot, owned_->reuse_idle());
}

TEST_F(GateTest, OwnIdleSlotDoesNotEndAWaitWhilePaused) {
  LocalSlot& slot = take(*owned_);
  set(Gate::kWait);
  Acquire acquire(*owned_, 60 * kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, acquire.step(0).next);
  give_back(*owned_, slot);  // as another fiber of this thread does
  EXPECT_EQ(Next::kWait, acquire.step(0).next);
  set(Gate::kOpen);
  const Acquire::Step step = run(acquire, *owned_);
  EXPECT_TRUE(step.next == Next::kReuse || step.next == Next::kMint);
}

TEST_F(GateTest, SleeperWithAnIdleSlotOfItsOwnIsWokenWhenThePoolOpens) {
  LocalSlot& other = take(*owned_);  // so that nothing is free
  std::thread sleeper([&] {
    Worker worker(server_.runtime_dir());
    shm::PoolRequest request = pool_of(2);
    request.rebalance = shm::Rebalance::kStrict;  // so that it keeps what it has
    auto pool = worker.open("p", request);
    LocalSlot& own = take(*pool);
    set(Gate::kWait);
    Acquire acquire(*pool, 60 * kSecond, shm::monotonic_ns());
    EXPECT_EQ(Next::kWait, acquire.step(0).next);
    give_back(*pool, own);
    EXPECT_EQ(Next::kReuse, run(acquire, *pool, 30 * kSecond).next);
    EXPECT_LT(acquire.waited_ns(), 20 * kSecond);
  });
  EXPECT_TRUE(
      wait_until([&] { return owned_->counts().waiting == 1 && owned_->counts().idle == 1; }));
  set(Gate::kOpen);
  sleeper.join();
  give_back(*owned_, other);
}

TEST_F(GateTest, ResizeReachesWhoWaitsAndHoldersStay) {
  take(*owned_);
  LocalSlot& second = take(*owned_);
  wait_for_it();
  const auto resize = [&](uint32_t to) {
    return shm::resize_pool(owner_.lane().view(), record(), owner_.lane().lock_context(), to,
                            shm::kLockPatienceNs);
  };
  EXPECT_EQ(shm::PoolResult::kOk, resize(3));
  EXPECT_EQ(Next::kMint, run(*wait_, *waited_).next);
  EXPECT_EQ(shm::PoolResult::kOk, resize(1));
  EXPECT_EQ(3u, owned_->counts().in_use) << "nobody is interrupted";
  EXPECT_FALSE(give_back(*owned_, second)) << "what comes back above the cap goes";
  EXPECT_EQ(shm::PoolResult::kOk, resize(0));
  EXPECT_EQ(2u, owned_->counts().max_size) << "what the workers asked for counts again";
  EXPECT_EQ(shm::PoolResult::kTooLarge, resize(shm::kMaxSlotsPerPool + 1));
  EXPECT_EQ(shm::PoolResult::kNoChunk, resize(few().chunks * shm::kSlotsPerChunk + 1));
  EXPECT_EQ(2u, owned_->counts().max_size);
}

}  // namespace
}  // namespace oxpool::test
