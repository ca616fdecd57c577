// A worker that was buried alive: it is told at its next step, and what others have by then is
// theirs.
#include <gtest/gtest.h>

#include "shm/burial.h"
#include "shm/slot.h"
#include "tests/unit/owner_and_waiter.h"
#include "tests/unit/pool_inspection.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::SlotState;

// The owner is buried; the waiter is whoever comes after it, in the very same records.
class Fencing : public OwnerAndWaiter {
 protected:
  void bury_owner() {
    const shm::Burial burial =
        shm::bury_process(waiter_.lane().view(), waiter_.lane().lock_context(),
                          owner_.process().index(), owner_.process().incarnation(), 1);
    ASSERT_TRUE(burial.complete);
  }
  // What the next owner of the unit has in its hands.
  shm::SlotWord heirs_word(SlotState state, CloseReason reason = CloseReason::kNone) {
    return shm::SlotWord::make(state, waiter_.lane().id(), reason);
  }
  void let_heir_have(LocalSlot& slot, shm::SlotWord word) { slot.record->word = word.raw; }
  void expect_heir_still_has(LocalSlot& slot, shm::SlotWord word) {
    EXPECT_EQ(word, shm::load_slot(*slot.record));
  }
  static constexpr shm::SlotWord nobodys() { return shm::SlotWord::free(); }
};

TEST_F(Fencing, ReleaseOfALostSlotTouchesNothing) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  bury_owner();
  LocalSlot& theirs = take(*waited_);
  ASSERT_EQ(slot.index, theirs.index);
  EXPECT_EQ(Release::kLost, owned_->release(slot));
  expect_heir_still_has(slot, heirs_word(SlotState::kInUse));
  EXPECT_FALSE(owner_.lane().usable());
  EXPECT_EQ(Status::kFenced, owner_.lane().unusable_status());
  EXPECT_EQ(Next::kLost, acquire_from(*owned_, 0).next);
}

TEST_F(Fencing, DiscardOfALostSlotTouchesNothing) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  bury_owner();
  take(*waited_);
  EXPECT_FALSE(owned_->begin_close(slot, CloseReason::kDiscard));
  expect_heir_still_has(slot, heirs_word(SlotState::kInUse));
}

TEST_F(Fencing, FinishedCloseOfALostSlotTouchesNothing) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  ASSERT_TRUE(owned_->begin_close(slot, CloseReason::kDiscard));
  bury_owner();
  shm::SlotRecord& record = *slot.record;
  take(*waited_);
  owned_->finish_close(slot);
  EXPECT_EQ(heirs_word(SlotState::kInUse), shm::load_slot(record));
  EXPECT_FALSE(owner_.lane().usable());
}

TEST_F(Fencing, ResourceThatIsReadyTooLateIsLost) {
  open(pool_of(1));
  Acquire acquire(*owned_, 0, shm::monotonic_ns());
  const Acquire::Step step = acquire.step(0);
  ASSERT_EQ(Next::kMint, step.next);
  bury_owner();
  take(*waited_);
  step.slot->record->changed_ns = 4711;
  EXPECT_FALSE(owned_->minted(*step.slot, 1));
  expect_heir_still_has(*step.slot, heirs_word(SlotState::kInUse));
  EXPECT_EQ(4711, step.slot->record->changed_ns.load()) << "another's record";
}

TEST_F(Fencing, FailedFactoryOfALostUnitTouchesNothing) {
  open(pool_of(1));
  Acquire acquire(*owned_, 0, shm::monotonic_ns());
  const Acquire::Step step = acquire.step(0);
  bury_owner();
  take(*waited_);
  shm::SlotRecord& record = *step.slot->record;
  owned_->mint_failed(*step.slot);
  EXPECT_EQ(heirs_word(SlotState::kInUse), shm::load_slot(record));
}

TEST_F(Fencing, LostIdleSlotIsNotReused) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  give_back(*owned_, slot);
  bury_owner();
  LocalSlot& theirs = take(*waited_);
  give_back(*waited_, theirs);
  EXPECT_EQ(nullptr, owned_->reuse_idle());
  EXPECT_EQ(Next::kLost, acquire_from(*owned_, kSecond).next);
  expect_heir_still_has(slot, heirs_word(SlotState::kIdle));
}

// Flags on a slot of another: neither obeyed nor cleared, whatever the slot is doing.
TEST_F(Fencing, FlagsOfTheNextOwnerAreNotTaken) {
  for (const SlotState state : {SlotState::kIdle, SlotState::kClosing}) {
    for (const CloseReason reason :
         {CloseReason::kReclaim, CloseReason::kIdleTimeout, CloseReason::kEvict}) {
      Worker buried(server_.runtime_dir());
      auto pool = buried.open("flags", pool_of(8));
      LocalSlot& slot = take(*pool);
      give_back(*pool, slot);
      const shm::SlotWord word = heirs_word(state, reason);
      let_heir_have(slot, word);
      EXPECT_EQ(nullptr, pool->take_flagged());
      expect_heir_still_has(slot, word);
      EXPECT_FALSE(buried.lane().usable());
      let_heir_have(slot, nobodys());
    }
  }
}

TEST_F(Fencing, EveryAbandonedResourceIsHandedBackToBeDropped) {
  open(pool_of(3));
  int resources[3];
  LocalSlot* slots[] = {&take(*owned_), &take(*owned_), &take(*owned_)};
  for (int i = 0; i < 3; ++i) {
    slots[i]->resource = &resources[i];
    give_back(*owned_, *slots[i]);
  }
  bury_owner();
  EXPECT_EQ(nullptr, owned_->take_idle(CloseReason::kPoolDropped));
  std::vector<void*> dropped;
  while (LocalSlot* slot = owned_->take_abandoned()) dropped.push_back(slot->resource);
  EXPECT_EQ((std::vector<void*>{&resources[2], &resources[1], &resources[0]}), dropped);
}

TEST_F(Fencing, BuriedWorkerTakesNoUnit) {
  open(pool_of(2));
  bury_owner();
  EXPECT_EQ(Next::kLost, acquire_from(*owned_, 0).next)
      << "a unit of a lane that is gone would be freed under its hands";
  EXPECT_EQ(0u, waited_->counts().minting);
}

TEST_F(Fencing, BuriedWaiterIsToldInsteadOfSleepingOn) {
  open(pool_of(1));
  take(*waited_);
  Acquire acquire(*owned_, Acquire::kForever, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  bury_owner();
  EXPECT_EQ(Next::kLost, run(acquire, *owned_).next);
  EXPECT_EQ(0u, waited_->counts().waiting);
}

TEST_F(Fencing, GrantToABuriedWaiterGoesToTheNext) {
  open(pool_of(1));
  LocalSlot& slot = take(*waited_);
  Acquire acquire(*owned_, Acquire::kForever, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  give_back(*waited_, slot);
  bury_owner();
  EXPECT_EQ(Next::kLost, run(acquire, *owned_).next);
  EXPECT_EQ(Next::kMint, acquire_from(*waited_, 0).next);
}

TEST_F(Fencing, NoPoolIsAttachedAnyMore) {
  bury_owner();
  std::unique_ptr<Pool> pool;
  EXPECT_EQ(Status::kFenced, owner_.lane().attach_pool("p", pool_of(1), &pool).status);
  EXPECT_EQ(nullptr, pool);
}

TEST_F(Fencing, LeavingTakesNothingFromTheNextOwnerOfLaneAndSeat) {
  open(pool_of(2));
  take(*owned_);
  bury_owner();
  Worker heir(server_.runtime_dir());
  ASSERT_EQ(owner_.lane().id().lane(), heir.lane().id().lane()) << "the same lane record";
  auto inherited = heir.open("p", pool_of(2));
  ASSERT_EQ(owned_->lane().view().index_of(owned_->seat()),
            inherited->lane().view().index_of(inherited->seat()));
  LocalSlot& slot = take(*inherited);
  owned_.reset();
  owner_.detach();
  EXPECT_TRUE(heir.lane().still_usable());
  EXPECT_EQ(heir.lane().id().raw, inherited->seat().owner.load());
  EXPECT_EQ(2u, inherited->record().seats);
  EXPECT_TRUE(give_back(*inherited, slot));
  EXPECT_EQ(&slot, inherited->reuse_idle());
}

TEST_F(Fencing, ClosingALaneThatIsAnothersByNowIsNothing) {
  const uint32_t record = owner_.lane().id().lane();
  bury_owner();
  Worker heir(server_.runtime_dir());
  ASSERT_EQ(record, heir.lane().id().lane());
  owner_.close_lane();  // it has not noticed anything
  EXPECT_TRUE(heir.lane().still_usable());
}

TEST_F(Fencing, OthersGoOnWholeAfterIt) {
  open(pool_of(3));
  LocalSlot& slot = take(*owned_);
  take(*owned_);
  bury_owner();
  expect_whole(waited_->lane().view(), waited_->record(), 3);
  EXPECT_EQ(Release::kLost, owned_->release(slot));
  owned_.reset();
  owner_.close_lane();
  expect_whole(waited_->lane().view(), waited_->record(), 3);
  for (int i = 0; i < 3; ++i) take(*waited_);
}

}  // namespace
}  // namespace oxpool::test
