// Seats taken and left, and their counts folded exactly once.
#include "shm/seat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::SegmentHost;

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);
constexpr uint32_t kFreeSeat = static_cast<uint32_t>(RecordState::kFree);
constexpr uint32_t kRemoving = static_cast<uint32_t>(RecordState::kRemoving);

class Seats : public SegmentHost {
 protected:
  Seats() : worker_(attach()), pool_(make_pool("p", 4, *worker_, &first_)) {}

  uint32_t sit(AttachedLane& lane) {
    uint32_t seat = kNoIndex;
    TableLock tables(view(), lane.context(), kLockPatienceNs);
    EXPECT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(pool_), lane.id(), &seat));
    return seat;
  }
  void leave(AttachedLane& lane, uint32_t seat, int64_t now_ns = 1) {
    TableLock tables(view(), lane.context(), kLockPatienceNs);
    leave_seat(tables, seat, now_ns);
  }
  uint64_t sum(Counter counter) {
    std::vector<CounterSums> sums;
    sum_counters(view(), &sums);
    return sums[view().index_of(pool_)][counter];
  }
  SeatRecord& seat(uint32_t index) { return *view().seat(index); }

  std::unique_ptr<AttachedLane> worker_;
  uint32_t first_ = kNoIndex;
  PoolRecord& pool_;
};

TEST_F(Seats, AreCountedAndGivenBack) {
  auto other = attach();
  EXPECT_EQ(1u, pool_.seats.load());
  EXPECT_EQ(0, pool_.unattached_since_ns.load());
  const uint32_t second = sit(*other);
  EXPECT_NE(first_, second);
  EXPECT_EQ(2u, pool_.seats.load());
  leave(*other, second);
  EXPECT_EQ(1u, pool_.seats.load());
  EXPECT_EQ(0, pool_.unattached_since_ns.load());
  leave(*worker_, first_, 4711);
  EXPECT_EQ(0u, pool_.seats.load());
  EXPECT_EQ(4711, pool_.unattached_since_ns.load());
  EXPECT_EQ(kFreeSeat, seat(first_).state.load());
}

TEST_F(Seats, AreRefusedWhenTheTableIsFull) {
  std::vector<uint32_t> taken;
  for (uint32_t i = 1; i < view().count(kSeatTable); ++i) taken.push_back(sit(*worker_));
  uint32_t seat = 77;
  {
    TableLock tables(view(), worker_->context(), 0);
    EXPECT_EQ(PoolResult::kNoSeat, take_seat(tables, view().index_of(pool_), worker_->id(), &seat));
  }
  EXPECT_EQ(77u, seat);
  EXPECT_EQ(view().count(kSeatTable), pool_.seats.load());
  leave(*worker_, taken[4]);
  EXPECT_EQ(taken[4], sit(*worker_)) << "the one that was given back";
}

TEST_F(Seats, CountsStayWhenTheLaneLeaves) {
  count(seat(first_), Counter::mints, 3);
  count_closed(seat(first_), CloseReason::kEvict, 2);
  count(seat(first_).counts.wait_buckets[4], 5);
  EXPECT_EQ(3u, sum(Counter::mints));
  leave(*worker_, first_);
  EXPECT_EQ(3u, sum(Counter::mints));
  const uint32_t again = sit(*worker_);
  EXPECT_EQ(0u, seat(again).counts.counters[static_cast<int>(Counter::mints)].load());
  count(seat(again), Counter::mints);
  EXPECT_EQ(4u, sum(Counter::mints));
  leave(*worker_, again);
  std::vector<CounterSums> sums;
  sum_counters(view(), &sums);
  EXPECT_EQ(4u, sums[0][Counter::mints]);
  EXPECT_EQ(2u, sums[0].evicted[static_cast<int>(CloseReason::kEvict)]);
  EXPECT_EQ(5u, sums[0].wait_buckets[4]);
}

TEST_F(Seats, CountsAreFoldedOnceWhenDeathComesBetweenFoldAndFree) {
  count(seat(first_), Counter::mints, 3);
  TableLock tables(view(), worker_->context(), 0);
  const uint64_t serial = seat(first_).serial;
  leave_seat(tables, first_, 1);
  ASSERT_EQ(3u, sum(Counter::mints));
  // As it was after the fold: still there, and not yet free.
  seat(first_).state = kRemoving;
  seat(first_).owner = worker_->id().raw;
  ASSERT_EQ(serial, seat(first_).serial);
  EXPECT_EQ(3u, sum(Counter::mints)) << "a reader counts it once, too";
  finish_seat_removal(tables, seat(first_));
  EXPECT_EQ(3u, sum(Counter::mints));
  EXPECT_EQ(kFreeSeat, seat(first_).state.load());
}

TEST_F(Seats, CountsAreFoldedWhenDeathComesBeforeTheFold) {
  count(seat(first_), Counter::mints, 3);
  seat(first_).state = kRemoving;
  // Half of the sum was written into the copy that does not count.
  pool_.folded[1].counters[0] = 99;
  EXPECT_EQ(3u, sum(Counter::mints));
  TableLock tables(view(), worker_->context(), 0);
  finish_seat_removal(tables, seat(first_));
  EXPECT_EQ(3u, sum(Counter::mints));
  EXPECT_EQ(0u, sum(Counter::acquire_ok));
}

TEST_F(Seats, HalfBuiltSeatIsFreedUncounted) {
  seat(9).state = static_cast<uint32_t>(RecordState::kBuilding);
  seat(9).pool = view().index_of(pool_);
  seat(9).pool_id = pool_.id.load();
  seat(9).counts.counters[0] = 1000;  // of an earlier owner
  TableLock tables(view(), worker_->context(), 0);
  finish_seat_removal(tables, seat(9));
  EXPECT_EQ(kFreeSeat, seat(9).state.load());
  EXPECT_EQ(0u, sum(Counter::acquire_ok));
}

TEST_F(Seats, SeatOfAPoolThatIsGoneIsFreedAndFoldedNowhere) {
  count(seat(first_), Counter::mints, 3);
  seat(first_).pool_id = pool_.id + 1;
  leave(*worker_, first_);
  EXPECT_EQ(kFreeSeat, seat(first_).state.load());
  EXPECT_EQ(0u, sum(Counter::mints));
}

TEST_F(Seats, RecountSaysSinceWhenNobodyIsAttached) {
  PoolRecord& empty = make_pool("empty", 1, *worker_);
  TableLock tables(view(), worker_->context(), 0);
  leave_seat(tables, 1, 5);
  empty.seats = 3;
  empty.unattached_since_ns = 0;  // whoever left last died before it said so
  pool_.seats = 0;
  pool_.unattached_since_ns = 5;
  count_seats(tables);
  EXPECT_EQ(0u, empty.seats.load());
  EXPECT_NE(0, empty.unattached_since_ns.load()) << "0 would mean that somebody is attached";
  EXPECT_EQ(1u, pool_.seats.load());
  EXPECT_EQ(0, pool_.unattached_since_ns.load());
}

// A walk over many seats takes long enough for one of them to be folded and freed meanwhile.
class ManySeats : public SegmentHost {
 protected:
  ManySeats()
      : SegmentHost({.processes = 4,
                     .lanes = 4,
                     .extra_tickets = 4,
                     .pools = 1,
                     .seats = 3000,
                     .chunks = 1}) {}
};

TEST_F(ManySeats, SumsNeverGoDownWhileSeatsComeAndGo) {
  constexpr uint64_t kRounds = 4000;
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 1, *lane);
  const auto sit = [&] {
    uint32_t seat = kNoIndex;
    TableLock tables(view(), lane->context(), kLockPatienceNs);
    EXPECT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(pool), lane->id(), &seat));
    return seat;
  };
  for (int i = 0; i < 2900; ++i) sit();
  std::atomic<bool> done{false};
  std::thread worker([&] {
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint32_t seat = sit();
      count(*view().seat(seat), Counter::mints);
      count_closed(*view().seat(seat), CloseReason::kEvict);
      usleep(20);
      TableLock tables(view(), lane->context(), kLockPatienceNs);
      leave_seat(tables, seat, 1);
    }
    done = true;
  });
  CounterSums last;
  std::vector<CounterSums> sums;
  constexpr int kEvict = static_cast<int>(CloseReason::kEvict);
  while (!done) {
    sum_counters(view(), &sums);
    EXPECT_LE(last[Counter::mints], sums[0][Counter::mints]);
    EXPECT_LE(last.evicted[kEvict], sums[0].evicted[kEvict]);
    EXPECT_LE(sums[0][Counter::mints], kRounds);
    last = sums[0];
  }
  worker.join();
  sum_counters(view(), &sums);
  EXPECT_EQ(kRounds, sums[0][Counter::mints]);
}

}  // namespace
}  // namespace oxpool::shm
