// The queue of one pool: who is served, in which order, and who leaves.
#include "shm/queue.h"

#include <gtest/gtest.h>

#include "tests/unit/pool_inspection.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::queue_of;
using test::SegmentHost;

class Queue : public SegmentHost {
 protected:
  Queue() : holder_(attach()), pool_(make_pool("p", 1, *holder_)) {}

  // Lets the holder have every free unit.
  void saturate() {
    uint32_t index;
    while (SlotRecord* slot = reserve(pool_, *holder_, &index)) {
      slot->word.store(SlotWord::make(SlotState::kInUse, holder_->id()).raw);
    }
  }
  WaitWord enqueue_one(AttachedLane& lane, uint32_t ticket = kNoIndex) {
    PoolLock lock(view(), pool_, lane.context(), kLockPatienceNs);
    Wait wait;
    wait.ticket = ticket == kNoIndex ? lane.id().lane() : ticket;
    wait.owner = lane.id();
    wait.since_ns = ++clock_ns_;
    wait.deadline_ns = kNoDeadline;
    const WaitWord word = enqueue(lock, wait);
    serve(lock);
    return word;
  }
  // The holder gives a unit back.
  void release(uint32_t index = 0) {
    ASSERT_TRUE(free_slot(view(), pool_, index, SlotWord::make(SlotState::kInUse, holder_->id())));
    settle_pressure(view(), pool_, holder_->context());
  }
  WaitWord wait_word(const AttachedLane& lane) {
    return WaitWord{view().ticket(lane.id().lane())->wait_word.load()};
  }
  bool granted(const AttachedLane& lane) {
    const WaitWord word = wait_word(lane);
    return word.state() == WaitState::kGranted &&
           load_slot(*view().slot(pool_, word.slot())) ==
               SlotWord::make(SlotState::kGranted, lane.id());
  }
  // What the granted lane does next; then the unit is free again and goes to the next.
  void use_and_free(AttachedLane& lane) {
    const uint32_t index = wait_word(lane).slot();
    ASSERT_TRUE(accept_grant(*view().slot(pool_, index), lane.id()));
    ASSERT_TRUE(free_slot(view(), pool_, index, SlotWord::make(SlotState::kReserved, lane.id())));
    settle_pressure(view(), pool_, lane.context());
  }
  bool cancel(AttachedLane& lane, WaitWord waiting) {
    return cancel_wait(*view().ticket(lane.id().lane()), waiting);
  }

  std::unique_ptr<AttachedLane> holder_;
  PoolRecord& pool_;
  int64_t clock_ns_ = 1000;
};

TEST_F(Queue, WaiterIsServedAtOnceWhileAUnitIsFree) {
  auto a = attach();
  enqueue_one(*a);
  EXPECT_TRUE(granted(*a));
  EXPECT_EQ(0u, load_pressure(pool_).raw);
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, ServesInOrderOfArrival) {
  saturate();
  auto a = attach();
  auto b = attach();
  auto c = attach();
  enqueue_one(*a);
  enqueue_one(*b);
  enqueue_one(*c);
  EXPECT_EQ(3u, load_pressure(pool_).waiting());
  EXPECT_EQ((std::vector<uint32_t>{a->id().lane(), b->id().lane(), c->id().lane()}),
            queue_of(view(), pool_));
  release();
  EXPECT_TRUE(granted(*a));
  EXPECT_FALSE(granted(*b) || granted(*c)) << "one unit serves one";
  use_and_free(*a);
  EXPECT_TRUE(granted(*b));
  EXPECT_FALSE(granted(*c));
  use_and_free(*b);
  EXPECT_TRUE(granted(*c));
  expect_whole(view(), pool_, 1);
  use_and_free(*c);
  EXPECT_EQ(0u, load_pressure(pool_).raw);
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, HeadsAgeIsKnown) {
  saturate();
  auto a = attach();
  auto b = attach();
  enqueue_one(*a);
  enqueue_one(*b);
  EXPECT_EQ(view().ticket(a->id().lane())->since_ns.load(), pool_.head_since_ns.load());
  release();
  EXPECT_EQ(view().ticket(b->id().lane())->since_ns.load(), pool_.head_since_ns.load());
  use_and_free(*a);
  EXPECT_EQ(0, pool_.head_since_ns.load());
}

TEST_F(Queue, CancelledWaitIsDecided) {
  saturate();
  auto a = attach();
  const WaitWord waiting = enqueue_one(*a);
  EXPECT_TRUE(cancel(*a, waiting));
  EXPECT_FALSE(cancel(*a, waiting)) << "only once";
  release();
  EXPECT_EQ(WaitState::kCancelled, wait_word(*a).state());
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kFree]) << "no unit for who has left";
  EXPECT_EQ(0u, view().ticket(a->id().lane())->queue_pool.load()) << "unlinked by the releaser";
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, GrantedWaitCanNotBeCancelled) {
  saturate();
  auto a = attach();
  const WaitWord waiting = enqueue_one(*a);
  release();
  EXPECT_FALSE(cancel(*a, waiting));
  EXPECT_TRUE(granted(*a));
}

TEST_F(Queue, CancelledHeadIsSkipped) {
  saturate();
  auto a = attach();
  auto b = attach();
  const WaitWord waiting = enqueue_one(*a);
  enqueue_one(*b);
  ASSERT_TRUE(cancel(*a, waiting));
  release();
  EXPECT_TRUE(granted(*b));
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, GoneLaneIsSkipped) {
  saturate();
  auto a = attach();
  auto b = attach();
  enqueue_one(*a);
  enqueue_one(*b);
  close_lane(view(), a->id());
  release();
  EXPECT_TRUE(granted(*b));
  EXPECT_NE(WaitState::kGranted, wait_word(*a).state());
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, NobodysTicketIsSkipped) {
  saturate();
  close_lane(view(), daemon().id());  // no daemon: lane 0 has no incarnation, like nobody
  auto a = attach();
  auto b = attach();
  enqueue_one(*a);
  enqueue_one(*b);
  view().ticket(a->id().lane())->owner.store(0);
  release();
  EXPECT_TRUE(granted(*b));
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kGranted]);
}

TEST_F(Queue, UnlinkTakesOutTheMiddleTheHeadAndTheTail) {
  saturate();
  std::vector<std::unique_ptr<AttachedLane>> lanes;
  std::vector<uint32_t> left;
  for (int i = 0; i < 5; ++i) {
    lanes.push_back(attach());
    enqueue_one(*lanes.back());
    left.push_back(lanes.back()->id().lane());
  }
  for (const size_t position : {2u, 0u, 2u, 1u, 0u}) {
    PoolLock lock(view(), pool_, holder_->context(), 0);
    unlink(lock, left[position]);
    unlink(lock, left[position]);  // no longer in there: nothing happens
    left.erase(left.begin() + static_cast<int>(position));
    EXPECT_EQ(left, queue_of(view(), pool_));
    EXPECT_EQ(left.size(), load_pressure(pool_).waiting());
  }
}

TEST_F(Queue, UnlinkOfAnotherPoolsTicketChangesNothing) {
  saturate();
  auto a = attach();
  enqueue_one(*a);
  PoolRecord& other = make_pool("other", 1, *holder_);
  PoolLock lock(view(), other, holder_->context(), 0);
  unlink(lock, a->id().lane());
  unlink(lock, kNoIndex);
  EXPECT_EQ(1u, queue_of(view(), pool_).size());
  EXPECT_EQ(1u, load_pressure(pool_).waiting());
}

TEST_F(Queue, TwoTicketsOfOneLaneAreTwoPlaces) {
  saturate();
  auto a = attach();
  const uint32_t extra = claim_extra_ticket(view(), a->id());
  enqueue_one(*a);
  const WaitWord second = enqueue_one(*a, extra);
  EXPECT_EQ(2u, load_pressure(pool_).waiting());
  ASSERT_TRUE(cancel_wait(*view().ticket(extra), second));
  release();
  EXPECT_TRUE(granted(*a));
  use_and_free(*a);
  EXPECT_EQ(0u, view().ticket(extra)->queue_pool.load());
  expect_whole(view(), pool_, 1);
}

TEST_F(Queue, LaterWaitOfATicketIsNotDecidedByAnEarlierRound) {
  saturate();
  auto a = attach();
  const WaitWord first = enqueue_one(*a);
  ASSERT_TRUE(cancel(*a, first));
  release();
  saturate();
  const WaitWord second = enqueue_one(*a);
  EXPECT_NE(first.round(), second.round());
  EXPECT_FALSE(cancel(*a, first)) << "a delayed decision about the first wait";
  EXPECT_EQ(WaitState::kWaiting, wait_word(*a).state());
}

TEST_F(Queue, GrantIsAcceptedByItsLaneOnly) {
  auto a = attach();
  auto b = attach();
  enqueue_one(*a);
  SlotRecord& slot = *view().slot(pool_, wait_word(*a).slot());
  EXPECT_FALSE(accept_grant(slot, b->id()));
  EXPECT_TRUE(accept_grant(slot, a->id()));
  EXPECT_FALSE(accept_grant(slot, a->id()));
}

TEST_F(Queue, SettlingNeedsNoLockWhileNobodyNeedsAnything) {
  auto stopped = attach();
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(pool_.lock, stopped->context(), 0));
  settle_pressure(view(), pool_, holder_->context());
  EXPECT_EQ(stopped->id(), RobustMutex::holder(pool_.lock));
}

TEST_F(Queue, StoppedLockHolderDelaysButLosesNothing) {
  saturate();
  auto a = attach();
  auto stopped = attach();
  enqueue_one(*a);
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(pool_.lock, stopped->context(), 0));
  release();  // can not have the lock in time
  EXPECT_FALSE(granted(*a));
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kFree]);
  RobustMutex::unlock(pool_.lock, stopped->id());
  settle_pressure(view(), pool_, a->context());  // the waiter looks again at its next slice
  EXPECT_TRUE(granted(*a));
}

}  // namespace
}  // namespace oxpool::shm
