// What is counted and summed for those who look from outside.
#include "shm/snapshot.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::SegmentHost;

class Snapshot : public SegmentHost {
 protected:
  Snapshot() : worker_(attach()), pool_(make_pool("p", 12, *worker_, &seat_)) {}

  void put(SlotState state, int times) {
    for (int i = 0; i < times; ++i) {
      uint32_t index;
      SlotRecord* slot = reserve(pool_, *worker_, &index);
      ASSERT_NE(nullptr, slot);
      slot->word.store(SlotWord::make(state, worker_->id()).raw);
    }
  }
  CounterSums sums(uint32_t pool = 0) {
    std::vector<CounterSums> all;
    sum_counters(view(), &all);
    return all.at(pool);
  }
  SeatRecord& seat() { return *view().seat(seat_); }

  std::unique_ptr<AttachedLane> worker_;
  uint32_t seat_ = kNoIndex;
  PoolRecord& pool_;
};

TEST_F(Snapshot, CountsEveryStateOnce) {
  put(SlotState::kGranted, 1);
  put(SlotState::kReserved, 1);
  put(SlotState::kInUse, 3);
  put(SlotState::kIdle, 2);
  put(SlotState::kClosing, 1);
  pool_.pressure.store(PressureWord::make(4, 0).raw);
  for_each_slot(view(), pool_, [&, first = true](uint32_t, SlotRecord& slot) mutable {
    if (first && flag_idle(view(), slot, CloseReason::kEvict)) first = false;
  });
  const PoolCounts counts = count_pool(view(), pool_);
  EXPECT_EQ(1u, counts.flagged);
  EXPECT_EQ(2u, counts.minting);
  EXPECT_EQ(3u, counts.in_use);
  EXPECT_EQ(2u, counts.idle);
  EXPECT_EQ(1u, counts.closing);
  EXPECT_EQ(4u, counts.waiting);
  EXPECT_EQ(12u, counts.max_size);
  EXPECT_EQ(5u, counts.size());
}

TEST_F(Snapshot, OfAnEmptyPoolIsZero) {
  const PoolCounts counts = count_pool(view(), pool_);
  EXPECT_EQ(0u, counts.minting + counts.in_use + counts.idle + counts.closing + counts.waiting);
  EXPECT_EQ(12u, counts.max_size);
}

TEST_F(Snapshot, SumsEveryLiveSeatOfThePool) {
  auto other = attach();
  uint32_t second;
  make_pool("p", 12, *other, &second);
  uint32_t elsewhere;
  PoolRecord& quiet = make_pool("quiet", 1, *other, &elsewhere);
  count(seat(), Counter::releases, 2);
  count(*view().seat(second), Counter::releases, 3);
  count(*view().seat(elsewhere), Counter::releases, 100);
  count_closed(seat(), CloseReason::kHandOver, 4);
  EXPECT_EQ(5u, sums()[Counter::releases]);
  EXPECT_EQ(4u, sums().evicted[static_cast<int>(CloseReason::kHandOver)]);
  EXPECT_EQ(100u, sums(view().index_of(quiet))[Counter::releases]);
}

TEST_F(Snapshot, HistogramTakesWhatWasServedAtOnceIntoItsFirstBucket) {
  count(seat(), Counter::acquire_ok, 7);  // at once
  count(seat(), Counter::acquire_ok_waited, 3);
  count(seat(), Counter::acquire_timeout, 2);
  count(seat(), Counter::acquire_closed, 1);
  count(seat(), Counter::acquire_saturated, 50);
  count(seat().counts.wait_buckets[0], 1);
  count(seat().counts.wait_buckets[6], 2);
  count(seat().counts.wait_buckets[16], 3);  // both timeouts and the closed one
  const CounterSums now = sums();
  EXPECT_EQ(10u, now[Counter::acquire_ok]) << "all that were served";
  EXPECT_EQ(8u, now.wait_buckets[0]);
  EXPECT_EQ(2u, now.wait_buckets[6]);
  EXPECT_EQ(3u, now.wait_buckets[16]);
  uint64_t observed = 0;
  for (const uint64_t bucket : now.wait_buckets) observed += bucket;
  EXPECT_EQ(13u, observed);
}

// Between the two stores of an acquire that had waited, in either order.
TEST_F(Snapshot, NoBucketGoesDownWhileAWaitIsBeingCounted) {
  count(seat(), Counter::acquire_ok, 5);
  CounterSums last = sums();
  const auto expect_no_less = [&] {
    const CounterSums now = sums();
    for (int i = 0; i < kWaitBucketCount; ++i) EXPECT_LE(last.wait_buckets[i], now.wait_buckets[i]);
    EXPECT_LE(last[Counter::acquire_ok], now[Counter::acquire_ok]);
    last = now;
  };
  count(seat(), Counter::acquire_ok_waited);
  expect_no_less();
  count(seat().counts.wait_buckets[5]);
  expect_no_less();
  count(seat().counts.wait_buckets[7]);
  expect_no_less();
  count(seat(), Counter::acquire_timeout);
  expect_no_less();
  EXPECT_EQ(5u, last.wait_buckets[0]);
}

TEST_F(Snapshot, BucketsAreBoundedAsPromised) {
  EXPECT_EQ(0, wait_bucket(-5));
  EXPECT_EQ(0, wait_bucket(100'000));
  EXPECT_EQ(1, wait_bucket(100'001));
  EXPECT_EQ(15, wait_bucket(10'000'000'000));
  EXPECT_EQ(16, wait_bucket(10'000'000'001));
  EXPECT_EQ(16, wait_bucket(INT64_MAX));
}

TEST_F(Snapshot, ScribbledPoolRecordIsCountedWithoutHarm) {
  pool_.chunk_count.store(kNoIndex);
  for (Word32& chunk : pool_.chunks) chunk.store(0x80000001u);
  pool_.chunks[17].store(3);
  pool_.chunks[18].store(kNoIndex);
  pool_.name_bytes.store(kNoIndex);
  pool_.cap.store(kNoIndex);
  pool_.fold.store(~uint64_t{0});
  const PoolCounts counts = count_pool(view(), pool_);
  EXPECT_EQ(0u, counts.in_use);
  EXPECT_EQ(kNameBytes, pool_name(pool_).size());
  sums();
}

TEST_F(Snapshot, OneChunkListedManyTimesCountsOnce) {
  pool_.chunk_count.store(kNoIndex);
  for (Word32& chunk : pool_.chunks) chunk.store(0);
  put(SlotState::kInUse, 1);
  EXPECT_EQ(1u, count_pool(view(), pool_).in_use);
}

TEST_F(Snapshot, SlotOfNoKnownStateIsNotCounted) {
  view().slot(pool_, 0)->word.store(7);
  const PoolCounts counts = count_pool(view(), pool_);
  EXPECT_EQ(0u, counts.minting + counts.in_use + counts.idle + counts.closing);
}

TEST_F(Snapshot, SeatOfAnotherPoolsLifeIsNotSummed) {
  count(seat(), Counter::mints, 3);
  seat().pool_id.store(pool_.id + 1);
  EXPECT_EQ(0u, sums()[Counter::mints]);
  seat().pool_id.store(pool_.id.load());
  seat().pool.store(kNoIndex);
  EXPECT_EQ(0u, sums()[Counter::mints]);
}

}  // namespace
}  // namespace oxpool::shm
