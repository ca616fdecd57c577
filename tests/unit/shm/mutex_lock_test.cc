// A mutex in the middle of a step, and a lane that dies there. RECOVERY.md names these tests.
#include "shm/mutex_lock.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "shm/burial.h"
#include "shm/mutex_inspection.h"
#include "shm/mutex_table.h"
#include "shm/ring.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;

class DeathAtAMutex : public test::SegmentHost {
 protected:
  DeathAtAMutex() : giver_(attach()), waiter_(attach()), other_(attach()), mutex_(make()) {
    for (AttachedLane* lane : {giver_.get(), waiter_.get(), other_.get()}) sit(*lane);
  }

  MutexRecord& make(OnOwnerDeath on_owner_death = OnOwnerDeath::kCorrupt,
                    const std::string& name = "m") {
    MutexRequest request;
    request.given_name = true;
    request.on_owner_death = on_owner_death;
    request.initial = "value";
    uint32_t index = kNoIndex;
    TableLock tables(view(), daemon().context(), 0);
    EXPECT_EQ(MutexResult::kOk, find_or_make_mutex(tables, name, request, 1, &index));
    return *view().mutex(index);
  }
  uint32_t sit(AttachedLane& lane) {
    uint32_t seat = kNoIndex;
    TableLock tables(view(), lane.context(), 0);
    EXPECT_EQ(MutexResult::kOk, take_mutex_seat(tables, view().index_of(mutex_), lane.id(), &seat));
    return seat;
  }
  void join(AttachedLane& lane) {
    join_mutex(view(), mutex_, {lane.id().lane(), lane.id(), ++clock_ns_, kNoDeadline});
  }
  Turn look(AttachedLane& lane, bool asks = false) {
    return look_at_mutex(view(), mutex_, lane.id().lane(), asks, &sleep_on_, &first_);
  }
  TicketRecord& ticket_of(AttachedLane& lane) { return *view().ticket(lane.id().lane()); }
  WaitState state_of(AttachedLane& lane) { return WaitWord{ticket_of(lane).wait_word}.state(); }
  MutexWord word() { return load_mutex(mutex_); }
  Burial bury(AttachedLane& dead) {
    dead.die();
    return bury_process(view(), daemon().context(), dead.process(), dead.incarnation(), 7);
  }
  // The first half of a hand-over: the ticket says that it was given the lock, the lock does not.
  void give_halfway(AttachedLane& from, AttachedLane& to) {
    const WaitWord waiting{ticket_of(to).wait_word};
    ticket_of(to).wait_word =
        WaitWord::make(WaitState::kGranted, waiting.round(), static_cast<uint32_t>(from.id().raw))
            .raw;
  }

  std::unique_ptr<AttachedLane> giver_;
  std::unique_ptr<AttachedLane> waiter_;
  std::unique_ptr<AttachedLane> other_;
  MutexRecord& mutex_;
  int64_t clock_ns_ = 1000;
  WaitWord sleep_on_;
  bool first_ = false;
};

TEST_F(DeathAtAMutex, HolderLeavesItCorrupted) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  const WaitWord slept_on = sleep_on_;
  EXPECT_TRUE(bury(*giver_).complete);
  EXPECT_TRUE(word().has(MutexWord::kCorrupted));
  EXPECT_FALSE(word().owner());
  EXPECT_NE(slept_on.raw, ticket_of(*waiter_).wait_word) << "who waits is woken";
  EXPECT_EQ(Turn::kStopped, look(*waiter_));
  EXPECT_TRUE(give_up_mutex(view(), mutex_, waiter_->id().lane()));
  EXPECT_FALSE(lock_if_open(mutex_, other_->id()));
  EXPECT_EQ("value", value_bytes(view(), mutex_));
}

TEST_F(DeathAtAMutex, HolderOfOneThatRecoversLeavesItToTheNext) {
  mutex_.on_owner_death = static_cast<uint32_t>(OnOwnerDeath::kRecover);
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  EXPECT_TRUE(bury(*giver_).complete);
  EXPECT_EQ(Turn::kLocked, look(*waiter_));
  EXPECT_EQ(waiter_->id(), word().owner());
}

TEST_F(DeathAtAMutex, ResetMakesACorruptedOneUsableWithItsValue) {
  const uint64_t id = mutex_.id;
  EXPECT_FALSE(reset_mutex(mutex_));
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  bury(*giver_);
  ASSERT_TRUE(is_corrupted(mutex_));
  EXPECT_TRUE(reset_mutex(mutex_));
  EXPECT_FALSE(is_corrupted(mutex_));
  EXPECT_TRUE(lock_if_open(mutex_, other_->id()));
  EXPECT_EQ(id, mutex_.id);
  EXPECT_EQ("value", value_bytes(view(), mutex_));
}

TEST_F(DeathAtAMutex, WaiterFreesItFromADeadHolderWithoutADaemon) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  EXPECT_FALSE(free_from_dead_holder(view(), mutex_, other_->liveness()));
  giver_->die();
  EXPECT_TRUE(free_from_dead_holder(view(), mutex_, other_->liveness()));
  EXPECT_TRUE(is_corrupted(mutex_));
  EXPECT_FALSE(free_from_dead_holder(view(), mutex_, other_->liveness()));
}

TEST_F(DeathAtAMutex, GiverBeforeTheLockWordLeavesAVoidGrant) {
  mutex_.on_owner_death = static_cast<uint32_t>(OnOwnerDeath::kRecover);
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  join(*other_);
  give_halfway(*giver_, *waiter_);
  EXPECT_EQ(Turn::kGiven, look(*waiter_)) << "the giver may come to it yet";
  EXPECT_FALSE(give_up_mutex(view(), mutex_, waiter_->id().lane()));
  bury(*giver_);
  EXPECT_EQ(WaitState::kWaiting, state_of(*waiter_));
  EXPECT_EQ(waiter_->id().lane(), mutex_.head) << "at its old place";
  EXPECT_EQ(Turn::kLocked, look(*waiter_));
}

TEST_F(DeathAtAMutex, VoidGrantIsNoticedByItsOwnerToo) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  give_halfway(*giver_, *waiter_);
  // The lock is somebody else's, whoever freed it.
  mutex_.lock = MutexWord{MutexWord::kWaiters}.with_owner(other_->id()).raw;
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  EXPECT_EQ(WaitState::kWaiting, state_of(*waiter_));
  give_halfway(*giver_, *waiter_);
  EXPECT_TRUE(give_up_mutex(view(), mutex_, waiter_->id().lane()));
}

TEST_F(DeathAtAMutex, WaiterThatWasGivenItAndNeverKnewDoesNotCorruptIt) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  EXPECT_EQ(Turn::kWaits, look(*waiter_, true));
  ASSERT_TRUE(unlock_mutex(view(), mutex_, giver_->id()));
  EXPECT_EQ(waiter_->id(), word().owner());
  EXPECT_TRUE(bury(*waiter_).complete);
  EXPECT_FALSE(is_corrupted(mutex_));
  EXPECT_TRUE(lock_if_open(mutex_, other_->id()));
}

TEST_F(DeathAtAMutex, GiverIsDeadAndSoIsWhoWasGivenIt) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  give_halfway(*giver_, *waiter_);
  giver_->die();
  EXPECT_TRUE(bury(*waiter_).complete);
  EXPECT_FALSE(word().owner());
  EXPECT_TRUE(is_corrupted(mutex_)) << "the giver had it";
  EXPECT_EQ(0u, count_lock_waiters(view(), mutex_));
}

TEST_F(DeathAtAMutex, WaiterLeavesTheLineAndTheNextIsFirst) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  join(*other_);
  EXPECT_EQ(Turn::kWaits, look(*other_));
  EXPECT_FALSE(first_);
  EXPECT_EQ(1u, bury(*waiter_).tickets);
  EXPECT_EQ(Turn::kWaits, look(*other_));
  EXPECT_TRUE(first_);
  EXPECT_EQ(1u, count_lock_waiters(view(), mutex_));
}

TEST_F(DeathAtAMutex, DeadWaiterIsDroppedByAnotherOne) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  join(*other_);
  waiter_->die();
  look_after_mutex(view(), mutex_, other_->liveness());
  EXPECT_EQ(Turn::kWaits, look(*other_));
  EXPECT_TRUE(first_);
}

TEST_F(DeathAtAMutex, UnlockerBeforeTheWakeLeavesAFreeOne) {
  join(*waiter_);
  mutex_.lock = MutexWord::kWaiters | MutexWord::kNudged;
  EXPECT_EQ(Turn::kLocked, look(*waiter_)) << "it looks when its slice is over";
  leave_mutex_queue(view(), mutex_, waiter_->id().lane());
  EXPECT_TRUE(unlock_mutex(view(), mutex_, waiter_->id()));
  EXPECT_EQ(0u, word().raw);
}

TEST_F(DeathAtAMutex, UnlockerThatTookTheFlagAwayLeavesAWaiterThatSetsItAgain) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  mutex_.lock = MutexWord{}.with_owner(giver_->id()).raw;
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  EXPECT_TRUE(word().has(MutexWord::kWaiters));
}

TEST_F(DeathAtAMutex, JoinerBeforeTheFlagIsStillFound) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  mutex_.lock = MutexWord{}.with_owner(giver_->id()).raw;
  EXPECT_EQ(1u, bury(*waiter_).tickets);
  EXPECT_TRUE(unlock_mutex(view(), mutex_, giver_->id()));
  EXPECT_EQ(0u, word().raw);
}

TEST_F(DeathAtAMutex, InterruptedBurialIsFinishedByTheNext) {
  // Its ticket was cancelled, its lock not looked at.
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  EXPECT_EQ(Turn::kWaits, look(*waiter_, true));
  ASSERT_TRUE(unlock_mutex(view(), mutex_, giver_->id()));
  ticket_of(*waiter_).wait_word =
      WaitWord::make(WaitState::kCancelled, WaitWord{ticket_of(*waiter_).wait_word}.round()).raw;
  EXPECT_TRUE(bury(*waiter_).complete);
  EXPECT_FALSE(is_corrupted(mutex_));
  EXPECT_FALSE(word().owner());
}

TEST_F(DeathAtAMutex, LockWithoutAWaiterTakesNothingBehind) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  EXPECT_FALSE(lock_if_open(mutex_, other_->id()));
  EXPECT_FALSE(unlock_at_once(mutex_, other_->id()));
  EXPECT_FALSE(unlock_mutex(view(), mutex_, other_->id())) << "it is not its own";
  EXPECT_TRUE(unlock_at_once(mutex_, giver_->id()));
  EXPECT_EQ(0u, word().raw);
}

TEST_F(DeathAtAMutex, UnlockWakesTheFirstOnceAndLetsOthersPass) {
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  const WaitWord slept_on = sleep_on_;
  EXPECT_FALSE(unlock_at_once(mutex_, giver_->id()));
  EXPECT_TRUE(unlock_mutex(view(), mutex_, giver_->id()));
  EXPECT_NE(slept_on.raw, ticket_of(*waiter_).wait_word);
  const uint64_t woken = ticket_of(*waiter_).wait_word;
  ASSERT_TRUE(lock_if_open(mutex_, other_->id())) << "barging";
  EXPECT_TRUE(unlock_at_once(mutex_, other_->id())) << "no second wake";
  EXPECT_EQ(woken, ticket_of(*waiter_).wait_word);
  ASSERT_TRUE(lock_if_open(mutex_, other_->id()));
  EXPECT_EQ(Turn::kWaits, look(*waiter_));
  EXPECT_FALSE(unlock_at_once(mutex_, other_->id())) << "it has looked, and is woken again";
}

TEST_F(DeathAtAMutex, CountsOfEveryMutexAtOnce) {
  MutexRecord& second = make(OnOwnerDeath::kCorrupt, "second");
  ASSERT_TRUE(lock_if_open(mutex_, giver_->id()));
  join(*waiter_);
  join(*other_);
  EXPECT_EQ((std::vector<uint32_t>{2, 0}), count_lock_waiters(view()));
  EXPECT_EQ(0u, count_lock_waiters(view(), second));
  EXPECT_EQ(giver_->id(), holder(mutex_));
  EXPECT_EQ(&second, find_live_mutex(view(), second.id));
  EXPECT_EQ(nullptr, find_live_mutex(view(), 999));
}

TEST_F(DeathAtAMutex, ScribbledRecordsLeadNowhere) {
  mutex_.value = ValueWord::make(3, 5000, 0).raw;
  std::string bytes;
  ValueWord value;
  for (const UnitRun run :
       {UnitRun{0, 0}, UnitRun{60, 20}, UnitRun{0xffffffff, 0xffffffff}, UnitRun{5, 2}}) {
    mutex_.runs[0] = run.raw();
    EXPECT_TRUE(value_bytes(view(), mutex_).empty());
    EXPECT_FALSE(copy_value(view(), mutex_, &bytes, &value));
    EXPECT_GT(mutex_bytes(view(), mutex_, 1), 0u);
  }
  mutex_.name_bytes = 0xffffffff;
  EXPECT_EQ(kNameBytes, mutex_name(mutex_).size());
  mutex_.head = 0xfffffff0;
  for (uint32_t i = 0; i < view().count(kTicketTable); ++i) {
    view().raise_high_water(kTicketTable, i + 1);
    view().ticket(i)->queue_mutex = 0xffffffff - i % 2 * 0xfffffffe;
    view().ticket(i)->wait_word = ~uint64_t{0} << 2 | 1;
    view().ticket(i)->owner = ~uint64_t{0} >> i;
  }
  mutex_.lock = ~uint64_t{0};
  count_lock_waiters(view());
  look_after_mutex(view(), mutex_, daemon().liveness());
  EXPECT_FALSE(is_last_of_a_ring(view(), daemon().liveness(), 1));
  reset_mutex(mutex_);
}

}  // namespace
}  // namespace oxpool::shm
