// A drained pool ends empty, whoever comes when.
#include <gtest/gtest.h>

#include "shm/operator.h"
#include "tests/unit/owner_and_waiter.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;

class Drain : public OwnerAndWaiter {
 protected:
  Drain() { open(pool_of(2)); }

  uint32_t drain() {
    const shm::SegmentView& view = owner_.lane().view();
    shm::set_gate(view, owned_->record(), owner_.lane().lock_context(), shm::Gate::kDrained, 0);
    return shm::flag_all_idle(view, owned_->record(), CloseReason::kDrain);
  }
  uint64_t drained() {
    return owned_->seat().counts.evicted[static_cast<int>(CloseReason::kDrain)];
  }
};

// Its flag stands for something else, which does not hold any more.
TEST_F(Drain, ClosesWhatWasFlaggedForAReasonThatIsVoid) {
  LocalSlot& slot = take(*owned_);
  give_back(*owned_, slot);
  ASSERT_TRUE(shm::flag_idle(owner_.lane().view(), *slot.record, CloseReason::kReclaim));
  EXPECT_EQ(0u, drain()) << "it is flagged already";
  LocalSlot* taken = owned_->take_flagged();
  ASSERT_EQ(&slot, taken);
  owned_->finish_close(*taken);
  EXPECT_EQ(1u, drained());
  EXPECT_EQ(0u, owned_->counts().size());
}

// Its owner was in the middle of giving it back: the operator's look came first.
TEST_F(Drain, ClosesWhatBecomesIdleJustAfterTheOperatorLooked) {
  LocalSlot& slot = take(*owned_);
  EXPECT_EQ(0u, drain());
  EXPECT_EQ(Release::kClose, owned_->release(slot));
  owned_->finish_close(slot);
  EXPECT_EQ(1u, drained());
}

TEST_F(Drain, ClosesWhatIsMadeAheadMeanwhile) {
  LocalSlot* slot = owned_->reserve_ahead(2);
  ASSERT_NE(nullptr, slot);
  drain();
  EXPECT_EQ(Release::kClose, owned_->minted_ahead(*slot, 1000));
  owned_->finish_close(*slot);
  EXPECT_EQ(1u, drained());
}

TEST_F(Drain, ClosesWhatWasOutForACheck) {
  LocalSlot& slot = take(*owned_);
  give_back(*owned_, slot);
  ASSERT_EQ(&slot, owned_->take_to_check(shm::kNoDeadline));
  drain();
  EXPECT_EQ(Release::kClose, owned_->put_back(slot));
  owned_->finish_close(slot);
  EXPECT_EQ(1u, drained());
}

}  // namespace
}  // namespace oxpool::test
