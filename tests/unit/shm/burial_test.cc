// What a dead lane owned comes back, and a living lane loses nothing.
#include "shm/burial.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/burial_host.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/wait_until.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::queue_of;

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);

class BurialOfASlot : public BurialOf, public ::testing::WithParamInterface<SlotState> {};

TEST_P(BurialOfASlot, FreesTheUnitAndServesTheNext) {
  put(pool_, *dead_, GetParam());
  put(pool_, *living_, SlotState::kInUse);
  put(pool_, *living_, SlotState::kIdle);
  auto waiter = attach();
  join(pool_, *waiter);
  ASSERT_FALSE(granted(*waiter));
  const Burial burial = bury();
  EXPECT_TRUE(burial.complete);
  EXPECT_EQ(1u, burial.lanes);
  EXPECT_EQ(1u, burial.slots);
  EXPECT_EQ(1u, burial.seats);
  EXPECT_EQ(0u, burial.tickets);
  EXPECT_TRUE(granted(*waiter));
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kInUse]);
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kIdle]) << "a living lane loses nothing";
  EXPECT_EQ(1u, pool_.seats.load());
  EXPECT_EQ(0u, view().lane(dead_->id().lane())->claim.load());
  EXPECT_EQ(0u, view().process(dead_->process())->incarnation.load());
  // A unit that was granted and not yet accepted had no resource.
  EXPECT_EQ(GetParam() == SlotState::kGranted ? 0u : 1u, lost_to_death());
  expect_whole(view(), pool_, 3);
}

INSTANTIATE_TEST_SUITE_P(States, BurialOfASlot,
                         ::testing::Values(SlotState::kGranted, SlotState::kReserved,
                                           SlotState::kInUse, SlotState::kIdle,
                                           SlotState::kClosing));

TEST_F(BurialOf, FlaggedIdleSlotFreesTheUnit) {
  put(pool_, *dead_, SlotState::kIdle, CloseReason::kReclaim);
  EXPECT_EQ(1u, bury().slots);
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, WhoOwnsNothingLeavesOnlyItsSeat) {
  put(pool_, *living_, SlotState::kInUse);
  const Burial burial = bury();
  EXPECT_EQ(0u, burial.slots);
  EXPECT_EQ(1u, burial.seats);
  EXPECT_EQ(0u, lost_to_death());
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, WaiterInTheMiddleLeavesTheQueue) {
  for (int i = 0; i < 3; ++i) put(pool_, *living_, SlotState::kInUse);
  auto first = attach();
  auto third = attach();
  join(pool_, *first);
  join(pool_, *dead_);
  join(pool_, *third);
  EXPECT_EQ(1u, bury().tickets);
  EXPECT_EQ((std::vector<uint32_t>{first->id().lane(), third->id().lane()}),
            queue_of(view(), pool_));
  EXPECT_EQ(WaitState::kCancelled, WaitWord{view().ticket(dead_->id().lane())->wait_word}.state());
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, ExtraTicketsLeaveTheQueueAndComeBack) {
  for (int i = 0; i < 3; ++i) put(pool_, *living_, SlotState::kInUse);
  const uint32_t queued = claim_extra_ticket(view(), dead_->id());
  const uint32_t unused = claim_extra_ticket(view(), dead_->id());
  join(pool_, *dead_);
  join(pool_, *dead_, queued);
  EXPECT_EQ(2u, bury().tickets);
  EXPECT_TRUE(queue_of(view(), pool_).empty());
  EXPECT_EQ(0u, view().ticket(queued)->owner.load());
  EXPECT_EQ(0u, view().ticket(unused)->owner.load());
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, UnitThatItFreedWithoutAHintGoesToTheNext) {
  SlotRecord& last = put(pool_, *dead_, SlotState::kClosing);
  for (int i = 0; i < 2; ++i) put(pool_, *living_, SlotState::kInUse);
  auto waiter = attach();
  join(pool_, *waiter);
  last.word = SlotWord::free().raw;  // and then it died
  EXPECT_EQ(0u, bury().slots);
  EXPECT_TRUE(granted(*waiter));
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, SeveralLanesAndPoolsOfOneProcessGoTogether) {
  PoolRecord& other = make_pool("other", 2, *dead_);
  const OwnerId second = open_lane(view(), dead_->process(), dead_->incarnation(), 2);
  uint32_t seat;
  {
    TableLock tables(view(), daemon().context(), 0);
    ASSERT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(other), second, &seat));
  }
  put(pool_, *dead_, SlotState::kInUse);
  put(other, *dead_, SlotState::kIdle);
  put(other, *dead_, SlotState::kIdle).word.store(SlotWord::make(SlotState::kInUse, second).raw);
  const Burial burial = bury();
  EXPECT_EQ(2u, burial.lanes);
  EXPECT_EQ(3u, burial.slots);
  EXPECT_EQ(3u, burial.seats);
  expect_whole(view(), pool_, 3);
  expect_whole(view(), other, 2);
  EXPECT_EQ(7, other.unattached_since_ns.load());
}

TEST_F(BurialOf, HalfOpenLaneIsClosed) {
  const uint32_t half = dead_->id().lane() + 5;
  view().lane(half)->claim = OwnerId::make(dead_->process(), dead_->incarnation()).raw;
  view().raise_high_water(kLaneTable, half + 1);
  EXPECT_EQ(2u, bury().lanes);
  EXPECT_EQ(0u, view().lane(half)->claim.load());
}

TEST_F(BurialOf, ProcessWithoutLanesIsCleared) {
  const uint32_t process = next_process_++;
  const uint64_t incarnation = publish_process(view(), process, 1, 0, "dead", 1);
  ASSERT_TRUE(daemon().liveness().process_dead(process, incarnation)) << "nobody has its token";
  const Burial burial = bury_process(view(), daemon().context(), process, incarnation, 7);
  EXPECT_TRUE(burial.complete);
  EXPECT_EQ(0u, burial.lanes);
  EXPECT_EQ(0u, view().process(process)->incarnation.load());
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, GrantThatWasNotAcceptedGoesToTheNext) {
  for (int i = 0; i < 2; ++i) put(pool_, *living_, SlotState::kInUse);
  SlotRecord& slot = put(pool_, *living_, SlotState::kInUse);
  auto waiter = attach();
  join(pool_, *dead_);
  join(pool_, *waiter);
  {
    PoolLock lock(view(), pool_, living_->context(), 0);
    ASSERT_TRUE(free_slot(view(), pool_, 2, load_slot(slot)));
    ASSERT_EQ(1u, serve(lock));
  }
  ASSERT_TRUE(granted(*dead_));
  EXPECT_EQ(1u, bury().slots);
  EXPECT_TRUE(granted(*waiter));
  EXPECT_EQ(0u, lost_to_death()) << "it had no resource yet";
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, RepeatedBurialFreesNothingTwice) {
  put(pool_, *dead_, SlotState::kInUse);
  EXPECT_EQ(1u, bury().slots);
  put(pool_, *living_, SlotState::kInUse);
  const Burial again = bury();
  EXPECT_EQ(0u, again.slots + again.lanes + again.seats + again.tickets);
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kInUse]);
  EXPECT_EQ(1u, lost_to_death());
}

TEST_F(BurialOf, NextLifeOfTheSameRecordsIsLeftAlone) {
  const uint32_t process = dead_->process();
  const uint64_t old = dead_->incarnation();
  bury();
  AttachedLane next(view(), lock_path(), process);
  ASSERT_EQ(dead_->id().lane(), next.id().lane());
  sit(pool_, next);
  put(pool_, next, SlotState::kInUse);
  const Burial late = bury_process(view(), daemon().context(), process, old, 7);
  EXPECT_EQ(0u, late.slots + late.lanes + late.seats);
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kInUse]);
  EXPECT_EQ(kLive, view().seat(0)->state.load());
}

TEST_F(BurialOf, InterruptedBurialIsFinishedByTheNext) {
  for (int i = 0; i < 2; ++i) put(pool_, *dead_, SlotState::kInUse);
  put(pool_, *living_, SlotState::kInUse);
  auto waiter = attach();
  join(pool_, *waiter);
  dead_->die();
  // One slot was freed, without its hint; then the burier died with the pool's lock.
  view().slot(pool_, 0)->word = SlotWord::free().raw;
  auto burier = attach();
  pool_.lock = burier->id().raw << 1;
  burier->die();
  const Burial burial = bury();
  EXPECT_TRUE(burial.complete);
  EXPECT_EQ(1u, burial.slots);
  EXPECT_TRUE(granted(*waiter));
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, BurialByAWaiterAndByTheDaemonFreeEachUnitOnce) {
  put(pool_, *dead_, SlotState::kInUse);
  dead_->die();
  Burial first;
  {
    PoolLock lock(view(), pool_, living_->context(), 0);
    bury_lane_at_pool(lock, dead_->id(), &first);
    bury_lane_at_pool(lock, dead_->id(), &first);
  }
  EXPECT_EQ(1u, first.slots);
  const Burial rest = bury();
  EXPECT_EQ(0u, rest.slots);
  EXPECT_EQ(1u, rest.seats);
  EXPECT_EQ(1u, lost_to_death());
  expect_whole(view(), pool_, 3);
}

TEST_F(BurialOf, StoppedLockHolderDelaysItsPoolOnly) {
  PoolRecord& other = make_pool("other", 2, *dead_);
  put(pool_, *dead_, SlotState::kInUse);
  put(other, *dead_, SlotState::kInUse);
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(pool_.lock, living_->context(), 0));
  const Burial held_up = bury(kNanosPerMilli);
  EXPECT_FALSE(held_up.complete);
  EXPECT_EQ(1u, held_up.slots) << "the other pool's waiters need not wait for this one";
  expect_whole(view(), other, 2);
  EXPECT_EQ(dead_->incarnation(), view().process(dead_->process())->incarnation.load());
  RobustMutex::unlock(pool_.lock, living_->id());
  const Burial rest = bury();
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(1u, rest.slots);
  expect_whole(view(), pool_, 3);
}

// One stopped worker, and a dead process of many threads: the daemon may not wait for each.
TEST_F(BurialOf, StoppedLockHolderIsWaitedForOnce) {
  constexpr int64_t kPatienceNs = 500 * kNanosPerMilli;
  for (int i = 0; i < 12; ++i) {
    const OwnerId lane = open_lane(view(), dead_->process(), dead_->incarnation(), 2);
    uint32_t seat;
    TableLock tables(view(), daemon().context(), 0);
    ASSERT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(pool_), lane, &seat));
  }
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(pool_.lock, living_->context(), 0));
  const int64_t before_ns = monotonic_ns();
  EXPECT_FALSE(bury(kPatienceNs).complete);
  EXPECT_LT(monotonic_ns() - before_ns, 6 * kPatienceNs);
}

TEST_F(BurialOf, SeatThatChangedHandsMeanwhileIsNotLeft) {
  // The burier looks at seat 0, waits for the pool's lock, and finds it another's.
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(pool_.lock, living_->context(), 0));
  std::thread burier([&] { bury(60 * kNanosPerSecond); });
  EXPECT_TRUE(test::wait_until([&] { return (pool_.lock.load() & 1) != 0; }));
  view().seat(0)->owner = living_->id().raw;
  RobustMutex::unlock(pool_.lock, living_->id());
  burier.join();
  EXPECT_EQ(kLive, view().seat(0)->state.load());
}

}  // namespace
}  // namespace oxpool::shm
