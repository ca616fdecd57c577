// Killed workers while no daemon buries anybody: whoever waits does it alone.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "shm/lane.h"
#include "shm/queue.h"
#include "shm/token.h"
#include "tests/unit/child_process.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class DeadHolder : public ::testing::Test {
 protected:
  DeadHolder() : server_(few()) {}

  // A worker in a process of its own that does `work` with its pool, says so, and stays.
  template <typename Work>
  void start(uint32_t max_size, Work work) {
    // The server is in this process: its copies of tokens must be gone before anybody forks.
    ASSERT_TRUE(wait_until([&] { return server_.sessions_made() >= attached_; }));
    child_ = std::make_unique<ChildProcess>([&, max_size, work] {
      Worker worker(server_.runtime_dir());
      auto pool = worker.open("p", pool_of(max_size));
      Acquire acquire(*pool, Acquire::kForever, shm::monotonic_ns());
      work(worker, *pool, acquire);
      *ready_ = true;
      pause();
      return 0;
    });
    ASSERT_TRUE(wait_until([&] { return ready_->load(); }));
    pool_.reset();
    worker_ = std::make_unique<Worker>(server_.runtime_dir());
    pool_ = worker_->open("p", pool_of(max_size));
    attached_ += 2;
  }

  HandshakeServer server_;
  int attached_ = 0;
  SharedPage<std::atomic<bool>> ready_;
  std::unique_ptr<ChildProcess> child_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Pool> pool_;
};

TEST_F(DeadHolder, SlotInUseGoesToTheWaiter) {
  start(1, [](Worker&, Pool& pool, Acquire&) { take(pool); });
  Acquire acquire(*pool_, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  child_->kill_and_wait();
  EXPECT_EQ(Next::kMint, run(acquire, *pool_, 100 * kMilli).next);
  expect_whole(worker_->lane().view(), pool_->record(), 1);
}

// It sees a process end, which a waiter can not: a dead one with many open files closes its sockets
// late.
TEST_F(DeadHolder, IsLeftToADaemonThatLives) {
  int token = -1;
  ASSERT_FALSE(shm::take_token(server_.lock_path(), shm::kDaemonProcess, &token));
  shm::publish_process(server_.view(), shm::kDaemonProcess, 1, 0, "oxpoold", shm::monotonic_ns());
  start(1, [](Worker&, Pool& pool, Acquire&) { take(pool); });
  child_->kill_and_wait();
  EXPECT_EQ(Next::kTimeout, acquire_from(*pool_, 1500 * kMilli).next);
  close(token);  // the daemon is gone
  EXPECT_EQ(Next::kMint, acquire_from(*pool_, 60 * kSecond).next);
}

TEST_F(DeadHolder, StoppedHolderKeepsItsSlot) {
  start(1, [](Worker&, Pool& pool, Acquire&) { take(pool); });
  child_->send(SIGSTOP);
  EXPECT_EQ(Next::kTimeout, acquire_from(*pool_, 700 * kMilli).next);
  EXPECT_EQ(1u, pool_->counts().in_use);
}

TEST_F(DeadHolder, SlotThatWasBeingMintedGoesToTheWaiter) {
  start(1, [](Worker&, Pool&, Acquire& acquire) { acquire.step(0); });
  child_->kill_and_wait();
  EXPECT_EQ(Next::kMint, acquire_from(*pool_, 60 * kSecond).next);
}

TEST_F(DeadHolder, IdleAndClosingSlotsGoToWaiters) {
  start(2, [](Worker&, Pool& pool, Acquire&) {
    LocalSlot& closing = take(pool);
    give_back(pool, take(pool));
    pool.begin_close(closing, shm::CloseReason::kDiscard);
  });
  child_->kill_and_wait();
  EXPECT_EQ(Next::kMint, acquire_from(*pool_, 60 * kSecond).next);
  EXPECT_EQ(Next::kMint, acquire_from(*pool_, 60 * kSecond).next);
  expect_whole(worker_->lane().view(), pool_->record(), 2);
}

TEST_F(DeadHolder, WaiterThatWasKilledDoesNotKeepThePlace) {
  Worker holder(server_.runtime_dir());
  auto held = holder.open("p", pool_of(1));
  LocalSlot& slot = take(*held);
  attached_ = 1;
  start(1, [](Worker&, Pool&, Acquire& acquire) { acquire.step(0); });
  Acquire behind(*pool_, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, behind.step(0).next);
  ASSERT_EQ(2u, held->counts().waiting);
  child_->kill_and_wait();
  give_back(*held, slot);  // granted to the dead one, whom nobody has buried
  EXPECT_EQ(Next::kMint, run(behind, *pool_, 100 * kMilli).next);
  expect_whole(worker_->lane().view(), pool_->record(), 1);
}

TEST_F(DeadHolder, LockThatWasHeldIsRepaired) {
  start(1, [](Worker& worker, Pool& pool, Acquire&) {
    shm::RobustMutex::lock(pool.record().lock, worker.lane().lock_context(), 0);
  });
  LocalSlot& slot = take(*pool_);
  Worker other(server_.runtime_dir());
  auto waiting = other.open("p", pool_of(1));
  EXPECT_EQ(Next::kTimeout, acquire_from(*waiting, 50 * kMilli).next) << "alive: waited for";
  child_->kill_and_wait();
  Acquire acquire(*waiting, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  EXPECT_TRUE(acquire.queued());
  give_back(*pool_, slot);
  EXPECT_EQ(Next::kMint, run(acquire, *waiting).next);
  expect_whole(worker_->lane().view(), pool_->record(), 1);
}

TEST_F(DeadHolder, ManyKilledHoldersLoseNoUnit) {
  constexpr uint32_t kUnits = 3;
  start(kUnits, [](Worker&, Pool& pool, Acquire&) { take(pool); });
  for (int round = 0; round < 6; ++round) {
    child_->kill_and_wait();
    *ready_ = false;
    start(kUnits, [](Worker&, Pool& pool, Acquire&) { take(pool, 60 * kSecond); });
  }
  child_->kill_and_wait();
  for (uint32_t i = 0; i < kUnits; ++i) take(*pool_, 60 * kSecond);
  EXPECT_EQ(Next::kSaturated, acquire_from(*pool_, 0).next);
  expect_whole(worker_->lane().view(), pool_->record(), kUnits);
}

}  // namespace
}  // namespace oxpool::test
