// A worker that is stopped inside a lock (SIGSTOP, a CPU quota) delays others, within their
// deadlines.
#include <gtest/gtest.h>

#include "shm/burial.h"
#include "shm/queue.h"
#include "tests/unit/owner_and_waiter.h"
#include "tests/unit/pool_inspection.h"

namespace oxpool::test {
namespace {

class StoppedInside : public OwnerAndWaiter {
 protected:
  StoppedInside() : stopped_(server_.runtime_dir()) {}
  void stop_inside() {
    ASSERT_EQ(shm::LockResult::kAcquired,
              shm::RobustMutex::lock(owned_->record().lock, stopped_.lane().lock_context(), 0));
  }
  void go_on() { shm::RobustMutex::unlock(owned_->record().lock, stopped_.lane().id()); }
  Worker stopped_;
};

TEST_F(StoppedInside, WaiterThatCanNotJoinTimesOut) {
  open(pool_of(1));
  take(*owned_);
  stop_inside();
  EXPECT_EQ(Next::kTimeout, acquire_from(*waited_, 150 * kMilli).next);
  EXPECT_EQ(Next::kSaturated, acquire_from(*waited_, 0).next);
  go_on();
  expect_whole(owned_->lane().view(), owned_->record(), 1);
}

TEST_F(StoppedInside, QueuedWaiterTimesOutAndLeavesNothingBehind) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  wait_for_it(150 * kMilli);
  stop_inside();
  EXPECT_EQ(Next::kTimeout, run(*wait_, *waited_).next);
  // Its ticket is still in the list; the next wait takes another.
  EXPECT_EQ(Next::kTimeout, acquire_from(*waited_, 10 * kMilli).next);
  go_on();
  shm::settle_pressure(owned_->lane().view(), owned_->record(), owner_.lane().lock_context());
  EXPECT_EQ(0u, owned_->counts().waiting);
  EXPECT_TRUE(give_back(*owned_, slot));
  expect_whole(owned_->lane().view(), owned_->record(), 1);
}

TEST_F(StoppedInside, HotPathGoesOn) {
  open(pool_of(2));
  LocalSlot& slot = take(*owned_);
  stop_inside();
  EXPECT_TRUE(give_back(*owned_, slot));
  EXPECT_EQ(&slot, owned_->reuse_idle());
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 0).next) << "a free unit needs no lock";
}

TEST_F(StoppedInside, ExtraTicketThatCouldNotBeUnlinkedIsUsedAgain) {
  open(pool_of(1));
  take(*owned_);
  wait_for_it();
  for (int i = 0; i < 10; ++i) {  // more often than there are extra tickets
    Acquire nested(*waited_, 60 * kSecond, shm::monotonic_ns());
    ASSERT_EQ(Next::kWait, nested.step(0).next) << i;
    stop_inside();
    nested.cancel();
    go_on();
    shm::PoolLock lock(owned_->lane().view(), owned_->record(), owner_.lane().lock_context(), 0);
    shm::unlink(lock, 64);
  }
}

TEST_F(StoppedInside, LaneThatGoesMeanwhileIsLeftToItsBurial) {
  open(pool_of(1));
  auto& lock = server_.view().header().table_lock;
  ASSERT_EQ(shm::LockResult::kAcquired,
            shm::RobustMutex::lock(lock, stopped_.lane().lock_context(), 0));
  waited_.reset();  // can not leave its seat
  waiter_.close_lane();
  shm::RobustMutex::unlock(lock, stopped_.lane().id());
  EXPECT_EQ(2u, owned_->record().seats);
  const shm::Burial burial =
      shm::bury_process(server_.view(), owner_.lane().lock_context(), waiter_.process().index(),
                        waiter_.process().incarnation(), 1);
  EXPECT_EQ(1u, burial.seats) << "nobody would ever find the seat of a lane that is closed";
  EXPECT_EQ(1u, owned_->record().seats);
}

}  // namespace
}  // namespace oxpool::test
