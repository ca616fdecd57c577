#include "daemon/stray_net.h"

#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

using shm::SlotState;

class StrayNetTest : public SegmentFixture {
 protected:
  StrayNetTest() : worker(attach()) {}

  TestWorker worker;
  StrayNet net;
};

TEST_F(StrayNetTest, FreesWhatBelongsToALaneThatIsGone) {
  auto& pool = make_pool("p", worker.lane);
  auto& kept = make_slot(pool, worker.lane, SlotState::kInUse);
  const auto gone = shm::OwnerId::make(5, 4711);
  auto& stray = make_slot(pool, gone, SlotState::kIdle);
  const auto impossible = shm::OwnerId::make(0xffff, 3);
  auto& forged = make_slot(pool, impossible, SlotState::kInUse);
  EXPECT_EQ(net.step(*segment), 2u);
  EXPECT_EQ(shm::load_slot(stray).state(), SlotState::kFree);
  EXPECT_EQ(shm::load_slot(forged).state(), SlotState::kFree);
  EXPECT_EQ(shm::load_slot(kept).state(), SlotState::kInUse);
}

TEST_F(StrayNetTest, ALaneThatCanNotExistOwnsNothing) {
  auto& pool = make_pool("p", worker.lane);
  auto& forged = make_slot(pool, shm::OwnerId::make(0xffff, 3), SlotState::kInUse);
  EXPECT_EQ(net.step(*segment), 1u);
  EXPECT_EQ(shm::load_slot(forged).state(), SlotState::kFree);
}

TEST_F(StrayNetTest, GoesRoundThePoolsOneACall) {
  make_pool("first", worker.lane);
  auto& second = make_pool("second", worker.lane);
  make_slot(second, shm::OwnerId::make(5, 4711), SlotState::kIdle);
  EXPECT_EQ(net.step(*segment), 0u);
  EXPECT_EQ(net.step(*segment), 1u);
  make_slot(second, shm::OwnerId::make(5, 4711), SlotState::kIdle);
  EXPECT_EQ(net.step(*segment), 0u);
  EXPECT_EQ(net.step(*segment), 1u);
}

TEST_F(StrayNetTest, DoesNotWaitForAHeldLock) {
  auto& pool = make_pool("p", worker.lane);
  make_slot(pool, shm::OwnerId::make(5, 4711), SlotState::kIdle);
  const shm::Liveness liveness;
  shm::LockContext stopped{worker.lane, &liveness};
  shm::PoolLock held(view(), pool, stopped, 0);
  ASSERT_TRUE(held.held());
  EXPECT_EQ(net.step(*segment), 0u);
}

TEST_F(StrayNetTest, AnEmptySegmentIsFine) { EXPECT_EQ(net.step(*segment), 0u); }

}  // namespace
}  // namespace oxpool::daemon
