#include "daemon/idle_scheduler.h"

#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

using shm::CloseReason;
using shm::SlotState;

constexpr int64_t kMs = shm::kNanosPerMilli;
constexpr int64_t kStart = 1'000'000 * kMs;

class IdleSchedulerTest : public SegmentFixture {
 protected:
  IdleSchedulerTest() : worker(attach()) {}

  CloseReason flag_of(const shm::SlotRecord& slot) { return shm::load_slot(slot).reason(); }

  TestWorker worker;
  IdleScheduler scheduler;
};

TEST_F(IdleSchedulerTest, FlagsASlotWhenItsTimeIsOverAndNotBefore) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  auto& slot = make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  EXPECT_EQ(scheduler.run(view(), kStart), 0u);
  EXPECT_EQ(scheduler.run(view(), kStart + 999 * kMs), 0u);
  EXPECT_EQ(flag_of(slot), CloseReason::kNone);
  EXPECT_EQ(scheduler.run(view(), kStart + 1000 * kMs), 1u);
  EXPECT_EQ(flag_of(slot), CloseReason::kIdleTimeout);
  EXPECT_EQ(view().lane(worker.lane.lane())->attention.load(), 1u) << "its owner should look";
}

TEST_F(IdleSchedulerTest, FlagsEachSlotAtItsOwnTimeAndOnce) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  for (const int64_t later : {0, 100, 100, 300}) {
    make_slot(pool, worker.lane, SlotState::kIdle, kStart + later * kMs);
  }
  scheduler.run(view(), kStart + 300 * kMs);
  EXPECT_EQ(scheduler.run(view(), kStart + 1050 * kMs), 1u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1150 * kMs), 2u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1290 * kMs), 0u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1310 * kMs), 1u);
  EXPECT_EQ(scheduler.run(view(), kStart + 9000 * kMs), 0u) << "all are flagged already";
}

TEST_F(IdleSchedulerTest, LeavesAloneWhatIsNotIdle) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  auto& in_use = make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  auto& minting = make_slot(pool, worker.lane, SlotState::kReserved, kStart);
  EXPECT_EQ(scheduler.run(view(), kStart + 5000 * kMs), 0u);
  EXPECT_EQ(flag_of(in_use), CloseReason::kNone);
  EXPECT_EQ(flag_of(minting), CloseReason::kNone);
}

TEST_F(IdleSchedulerTest, ZeroMeansNever) {
  auto& pool = make_pool("p", worker.lane, 4, 0);
  make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  EXPECT_EQ(scheduler.run(view(), kStart), 0u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1'000'000'000 * kMs), 0u);
}

TEST_F(IdleSchedulerTest, ASlotThatComesBackLaterIsNotMissed) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  scheduler.run(view(), kStart);
  make_slot(pool, worker.lane, SlotState::kIdle, kStart + 10 * kMs);
  EXPECT_EQ(scheduler.run(view(), kStart + 1000 * kMs), 0u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1010 * kMs), 1u);
}

TEST_F(IdleSchedulerTest, ANewPoolIsNoticedByTheTablesVersion) {
  scheduler.run(view(), kStart);
  auto& pool = make_pool("new", worker.lane, 4, 100);
  make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  EXPECT_EQ(scheduler.run(view(), kStart + 150 * kMs), 1u);
}

TEST_F(IdleSchedulerTest, AShorterTimeoutIsNoticedWithinASecond) {
  auto& pool = make_pool("p", worker.lane, 4, 3'600'000);
  make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  scheduler.run(view(), kStart);
  pool.settings.idle_timeout_ms.store(500);
  EXPECT_EQ(scheduler.run(view(), kStart + 1001 * kMs), 1u);
}

TEST_F(IdleSchedulerTest, AnotherReasonsFlagStays) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  auto& slot = make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  ASSERT_TRUE(shm::flag_idle(view(), slot, CloseReason::kEvict));
  EXPECT_EQ(scheduler.run(view(), kStart + 5000 * kMs), 0u);
  EXPECT_EQ(flag_of(slot), CloseReason::kEvict);
}

TEST_F(IdleSchedulerTest, APoolThatWasReplacedAtItsPlaceIsAnotherPool) {
  auto& pool = make_pool("old", worker.lane, 4, 50);
  scheduler.run(view(), kStart);
  leave_all_seats(worker.lane, kStart);
  {
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    ASSERT_TRUE(shm::remove_pool(lock, pool));
  }
  auto& next = make_pool("next", worker.lane, 4, 1000);
  ASSERT_EQ(&next, &pool);
  make_slot(next, worker.lane, SlotState::kIdle, kStart);
  EXPECT_EQ(scheduler.run(view(), kStart + 500 * kMs), 0u);
  EXPECT_EQ(scheduler.run(view(), kStart + 1000 * kMs), 1u);
}

TEST_F(IdleSchedulerTest, APoolThatIsGoneWithoutAWordIsLeftAlone) {
  auto& pool = make_pool("p", worker.lane, 4, 100);
  make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  scheduler.run(view(), kStart);
  pool.state.store(static_cast<uint32_t>(shm::RecordState::kRemoving));
  EXPECT_EQ(scheduler.run(view(), kStart + 200 * kMs), 0u);
}

TEST_F(IdleSchedulerTest, ScribbledValuesDoNoHarm) {
  auto& pool = make_pool("p", worker.lane, 4, 1000);
  auto& future = make_slot(pool, worker.lane, SlotState::kIdle, INT64_MAX);
  auto& past = make_slot(pool, worker.lane, SlotState::kIdle, INT64_MIN);
  EXPECT_EQ(scheduler.run(view(), kStart), 1u);
  EXPECT_EQ(flag_of(past), CloseReason::kIdleTimeout);
  EXPECT_EQ(flag_of(future), CloseReason::kNone) << "counts from now";
  pool.settings.idle_timeout_ms.store(UINT64_MAX);
  pool.chunk_count.store(UINT32_MAX);
  pool.chunks[1].store(UINT32_MAX);
  view().header().high_water[shm::kPoolTable].store(UINT32_MAX);
  view().header().pool_table_version.fetch_add(1);
  EXPECT_EQ(scheduler.run(view(), kStart + 10 * kMs), 0u);
  view().header().high_water[shm::kPoolTable].store(0);
  EXPECT_EQ(scheduler.run(view(), kStart + 5000 * kMs), 0u);
}

}  // namespace
}  // namespace oxpool::daemon
