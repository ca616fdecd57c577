// The end of an owner's request: which idle slots stay with it.
#include <gtest/gtest.h>

#include "shm/operator.h"
#include "tests/unit/owner_and_waiter.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;

class Parking : public OwnerAndWaiter {
 protected:
  Parking() { open(pool_of(4)); }

  LocalSlot& idle() {
    LocalSlot& slot = take(*owned_);
    give_back(*owned_, slot);
    return slot;
  }
  uint64_t closed_for(CloseReason reason) {
    return owned_->seat().counts.evicted[static_cast<int>(reason)];
  }
  void expect_closed_for(LocalSlot& slot, CloseReason reason) {
    ASSERT_EQ(Release::kClose, owned_->park(slot));
    owned_->finish_close(slot);
    EXPECT_EQ(1u, closed_for(reason));
    EXPECT_EQ(0u, owned_->idle_here());
  }
};

TEST_F(Parking, StaysIdleAndIsReused) {
  LocalSlot& slot = idle();
  EXPECT_EQ(Release::kKept, owned_->park(slot));
  EXPECT_EQ(1u, owned_->counts().idle);
  EXPECT_EQ(&slot, owned_->reuse_idle());
  EXPECT_EQ(Release::kLost, owned_->park(slot)) << "it is not idle";
}

TEST_F(Parking, TooOldIsClosed) {
  LocalSlot& slot = idle();
  slot.expires_ns = owner_.process().shared_coarse_ns() - 1;
  expect_closed_for(slot, CloseReason::kLifetime);
}

TEST_F(Parking, OfADrainedPoolIsClosed) {
  LocalSlot& slot = idle();
  shm::set_gate(owner_.lane().view(), owned_->record(), owner_.lane().lock_context(),
                shm::Gate::kDrained, 0);
  expect_closed_for(slot, CloseReason::kDrain);
}

TEST_F(Parking, EvictedIsClosedAndTheOthersStay) {
  LocalSlot& below = take(*owned_);
  LocalSlot& above = take(*owned_);
  give_back(*owned_, below);
  give_back(*owned_, above);
  ASSERT_TRUE(shm::flag_idle(owner_.lane().view(), *below.record, CloseReason::kEvict));
  EXPECT_EQ(Release::kKept, owned_->park(above));
  ASSERT_EQ(Release::kClose, owned_->park(below));
  owned_->finish_close(below);
  EXPECT_EQ(1u, closed_for(CloseReason::kEvict));
  EXPECT_EQ(1u, owned_->idle_here());
  EXPECT_EQ(&above, owned_->reuse_idle());
}

// The flag was for somebody who waits no more.
TEST_F(Parking, StaysWhenItsFlagIsVoid) {
  LocalSlot& slot = idle();
  ASSERT_TRUE(shm::flag_idle(owner_.lane().view(), *slot.record, CloseReason::kReclaim));
  EXPECT_EQ(Release::kKept, owned_->park(slot));
}

TEST_F(Parking, GoesWhenNoMoreMayBeIdle) {
  LocalSlot& first = take(*owned_);
  LocalSlot& second = take(*owned_);
  give_back(*owned_, first);
  give_back(*owned_, second);
  owned_->record().reserve = 2;
  EXPECT_EQ(Release::kKept, owned_->park(first)) << "2 idle of 4, 2 are to be free";
  owned_->record().reserve = 3;
  ASSERT_EQ(Release::kClose, owned_->park(first));
  owned_->finish_close(first);
  EXPECT_EQ(Release::kKept, owned_->park(second)) << "1 idle of 4, 3 are to be free";
}

TEST_F(Parking, TakenFromWhereverItIs) {
  LocalSlot& below = take(*owned_);
  LocalSlot& above = take(*owned_);
  give_back(*owned_, below);
  give_back(*owned_, above);
  ASSERT_EQ(&below, owned_->take_parked(below, CloseReason::kShutdown));
  EXPECT_EQ(nullptr, owned_->take_parked(below, CloseReason::kShutdown)) << "it is closing";
  owned_->finish_close(below);
  EXPECT_EQ(1u, closed_for(CloseReason::kShutdown));
  EXPECT_EQ(&above, owned_->reuse_idle());
}

TEST_F(Parking, AReplacementIsOneClosedAndOneMade) {
  LocalSlot& slot = take(*owned_);
  const uint64_t mints = owned_->seat().counts.counters[static_cast<int>(Counter::mints)];
  slot.expires_ns = 1;
  owned_->replaced(slot, 1000, CloseReason::kValidate);
  EXPECT_EQ(mints + 1, owned_->seat().counts.counters[static_cast<int>(Counter::mints)]);
  EXPECT_EQ(1u, closed_for(CloseReason::kValidate));
  EXPECT_EQ(kNeverNs, slot.expires_ns) << "a new life";
  EXPECT_EQ(1u, owned_->counts().in_use);
}

TEST_F(Parking, EndsOfRequestsAreCountedOverTheHost) {
  owned_->request_ended();
  owned_->request_ended();
  EXPECT_EQ(2u, owned_->record().movements);
}

}  // namespace
}  // namespace oxpool::test
