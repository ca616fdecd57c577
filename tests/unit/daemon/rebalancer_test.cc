#include "daemon/rebalancer.h"

#include "segment_fixture.h"
#include "shm/slot.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kStart = 1'000'000 * shm::kNanosPerSecond;

class RebalancerTest : public SegmentFixture {
 protected:
  static constexpr uint32_t kCap = 6;

  RebalancerTest() {
    for (int i = 0; i < 8; ++i) workers.push_back(attach());
    for (const TestWorker& worker : workers) pool = &make_pool("p", worker.lane, kCap);
  }
  void SetUp() override { window(); }  // what is new has not starved yet

  // One window. Returns how many slots were flagged in it.
  uint32_t window(uint64_t starved_waits = 0) {
    pool->starved_waits += starved_waits;
    now_ns += Rebalancer::kWindowNs;
    return rebalancer.run(view(), now_ns);
  }
  void windows(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) window();
  }
  uint32_t reserve() const { return pool->reserve.load(); }
  void set_traits(uint32_t traits) { pool->settings.traits.store(traits); }

  std::vector<TestWorker> workers;
  shm::PoolRecord* pool = nullptr;
  Rebalancer rebalancer;
  int64_t now_ns = kStart;
};

TEST_F(RebalancerTest, OneIsKeptFreeWhereThereAreMoreWorkersThanUnits) {
  window();
  EXPECT_EQ(1u, reserve());
  shm::PoolRecord& roomy = make_pool("roomy", workers[0].lane, kCap);
  window();
  EXPECT_EQ(0u, roomy.reserve.load());
}

TEST_F(RebalancerTest, IdleOnesAboveTheReserveAreFlaggedThoseFirstThatAreNeededLast) {
  shm::SlotRecord* slots[kCap];
  for (uint32_t i = 0; i < kCap; ++i) {
    slots[i] = &make_slot(*pool, workers[i].lane, shm::SlotState::kIdle, kStart);
    slots[i]->gap_ns = i == 2 ? 60 * shm::kNanosPerSecond : 10 * shm::kNanosPerSecond;
  }
  EXPECT_EQ(1u, window());
  for (uint32_t i = 0; i < kCap; ++i) {
    EXPECT_EQ(i == 2 ? shm::CloseReason::kHandOver : shm::CloseReason::kNone,
              shm::load_slot(*slots[i]).reason());
  }
  EXPECT_EQ(0u, window()) << "one that is flagged counts as going";
}

TEST_F(RebalancerTest, WhileSomebodyWaitsPatienceSaysWhoClosesWhat) {
  for (uint32_t i = 0; i < kCap; ++i) {
    make_slot(*pool, workers[i].lane, shm::SlotState::kIdle, kStart);
  }
  pool->pressure = shm::PressureWord::make(1, 0).raw;
  EXPECT_EQ(0u, window());
  pool->pressure = 0;
  EXPECT_EQ(1u, window());
}

TEST_F(RebalancerTest, RisesWhenSomebodyStarvedOnceTheLastRiseTookEffect) {
  for (uint32_t i = 0; i < 4; ++i) make_slot(*pool, workers[i].lane, shm::SlotState::kIdle, kStart);
  window();
  window(2);
  EXPECT_EQ(3u, reserve()) << "1 and the 2 that starved";
  window(1);
  EXPECT_EQ(3u, reserve()) << "four are idle still, though at most three are to be";
}

TEST_F(RebalancerTest, IsNeverAllThatThereIs) {
  window(100);
  EXPECT_EQ(kCap - 1, reserve());
  window(100);
  EXPECT_EQ(kCap - 1, reserve());
  pool->settings.min_idle = 5;
  window();
  EXPECT_EQ(1u, reserve()) << "minIdle are not to be free";
}

TEST_F(RebalancerTest, FallsAfterManyCalmWindowsInARow) {
  window(2);
  const uint32_t risen = reserve();
  ASSERT_GT(risen, 1u);
  windows(Rebalancer::kCalmWindows - 1);
  EXPECT_EQ(risen, reserve());
  window();
  EXPECT_EQ(risen - 1, reserve());
  windows(10 * Rebalancer::kCalmWindows);
  EXPECT_EQ(1u, reserve()) << "not below its least";
}

TEST_F(RebalancerTest, AWindowWithoutTwoFreeUnitsIsNotCalm) {
  window(2);
  const uint32_t risen = reserve();
  for (uint32_t i = 0; i < kCap - 1; ++i) {
    make_slot(*pool, workers[i].lane, shm::SlotState::kInUse, kStart);
  }
  windows(3 * Rebalancer::kCalmWindows);
  EXPECT_EQ(risen, reserve());
}

TEST_F(RebalancerTest, NothingIsKeptFreeWhereNothingIsToBeMoved) {
  window(2);
  ASSERT_NE(0u, reserve());
  pool->settings.rebalance = static_cast<uint32_t>(shm::Rebalance::kStrict);
  window(2);
  EXPECT_EQ(0u, reserve()) << "strict";
  pool->settings.rebalance = static_cast<uint32_t>(shm::Rebalance::kAsConfigured);
  set_traits(shm::kPersistent | shm::kAcceptGate);
  window(2);
  EXPECT_EQ(0u, reserve()) << "workers without a slot take no request";
  set_traits(shm::kPersistent);
  window();
  EXPECT_EQ(0u, reserve()) << "its sleeping owners can be reached";
  window(1);
  EXPECT_EQ(1u, reserve()) << "but one could not";
}

TEST_F(RebalancerTest, AWindowIsNotCutShort) {
  window();
  pool->starved_waits += 2;
  rebalancer.run(view(), now_ns + 1);
  EXPECT_EQ(1u, reserve());
  window();
  EXPECT_EQ(3u, reserve());
}

TEST_F(RebalancerTest, ARecordsNextPoolBeginsAnew) {
  window(2);
  pool->id += 1000;
  pool->reserve = 0;
  window();
  EXPECT_EQ(1u, reserve());
}

TEST_F(RebalancerTest, LivesWithAScribbledPool) {
  pool->reserve = 0xffffffff;
  pool->cap = 0xffffffff;
  pool->seats = 0xffffffff;
  pool->settings.min_idle = 0xffffffff;
  pool->starved_waits = ~uint64_t{0};
  window();
  pool->cap = 2;
  pool->starved_waits = 0;
  make_slot(*pool, workers[0].lane, shm::SlotState::kIdle, -1);
  window();
  EXPECT_LE(reserve(), 1u);
}

}  // namespace
}  // namespace oxpool::daemon
