// Slots of lanes that are no more: the net under everything else.
#include <gtest/gtest.h>

#include "tests/unit/burial_host.h"
#include "tests/unit/pool_inspection.h"

namespace oxpool::shm {
namespace {

using test::census;
using test::expect_whole;

class Strays : public BurialOf {};

TEST_F(Strays, StraysOfGoneLanesAreFreedAndNobodyElses) {
  put(pool_, *dead_, SlotState::kInUse);
  put(pool_, *living_, SlotState::kInUse);
  put(pool_, *living_, SlotState::kIdle, CloseReason::kEvict);
  auto waiter = attach();
  join(pool_, *waiter);
  close_lane(view(), dead_->id());  // as a burial that missed a slot leaves it
  auto next = attach();
  ASSERT_EQ(dead_->id().lane(), next->id().lane()) << "the lane has another life by now";
  PoolLock lock(view(), pool_, daemon().context(), 0);
  EXPECT_EQ(1u, bury_strays_at_pool(lock));
  EXPECT_TRUE(granted(*waiter));
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kInUse]);
  EXPECT_EQ(0u, bury_strays_at_pool(lock));
  expect_whole(view(), pool_, 3);
}

TEST_F(Strays, StrayOfALaneThatCanNotBeIsFreed) {
  put(pool_, *living_, SlotState::kInUse).word =
      SlotWord::make(SlotState::kInUse, OwnerId::make(65535, 3)).raw;
  PoolLock lock(view(), pool_, daemon().context(), 0);
  EXPECT_EQ(1u, bury_strays_at_pool(lock));
  expect_whole(view(), pool_, 3);
}

TEST_F(Strays, DeadLaneWhoseTokenIsGoneIsNotAStrayUntilItIsBuried) {
  put(pool_, *dead_, SlotState::kInUse);
  dead_->die();
  PoolLock lock(view(), pool_, daemon().context(), 0);
  EXPECT_EQ(0u, bury_strays_at_pool(lock)) << "its sockets may still be open";
}

}  // namespace
}  // namespace oxpool::shm
