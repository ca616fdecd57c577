#include <gtest/gtest.h>

#include "shm/slot_word.h"

namespace oxpool::shm {
namespace {

TEST(SlotWord, KeepsOwnerStateAndReasonApart) {
  const OwnerId owner = OwnerId::make(kNobody.raw == 0 ? 65535 : 0, OwnerId::kMaxIncarnation);
  const SlotWord word = SlotWord::make(SlotState::kClosing, owner, CloseReason::kDeadOwner);
  EXPECT_EQ(SlotState::kClosing, word.state());
  EXPECT_EQ(CloseReason::kDeadOwner, word.reason());
  EXPECT_EQ(owner, word.owner());
  EXPECT_EQ(65535u, word.owner().lane());
  EXPECT_EQ(OwnerId::kMaxIncarnation, word.owner().incarnation());
}

TEST(SlotWord, AllowsNoUnitToChangeHandsWithoutBeingFree) {
  const OwnerId a = OwnerId::make(1, 7);
  const OwnerId b = OwnerId::make(2, 8);
  for (int from = 0; from <= 6; ++from) {
    for (int to = 0; to <= 6; ++to) {
      const auto from_state = static_cast<SlotState>(from);
      const auto to_state = static_cast<SlotState>(to);
      if (from_state <= SlotState::kFree || to_state <= SlotState::kFree) continue;
      EXPECT_FALSE(slot_move_allowed(SlotWord::make(from_state, a), SlotWord::make(to_state, b)))
          << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace oxpool::shm
