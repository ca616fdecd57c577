// The packed words: what they keep apart, and what they do when a field runs over.
#include <gtest/gtest.h>

#include <utility>

#include "shm/clock.h"
#include "shm/owner_id.h"
#include "shm/pressure_word.h"
#include "shm/slot_word.h"
#include "shm/wait_word.h"

namespace oxpool::shm {
namespace {

TEST(OwnerIdWord, KeepsLaneAndIncarnationApart) {
  const OwnerId id = OwnerId::make(65535, OwnerId::kMaxIncarnation);
  EXPECT_EQ(65535u, id.lane());
  EXPECT_EQ(OwnerId::kMaxIncarnation, id.incarnation());
  EXPECT_EQ(0u, id.raw >> OwnerId::kBits);
  EXPECT_NE(OwnerId::make(3, 7), OwnerId::make(3, 8));
  EXPECT_NE(OwnerId::make(3, 7), OwnerId::make(4, 7));
  EXPECT_FALSE(kNobody);
  EXPECT_TRUE(OwnerId::make(0, 1)) << "the daemon's lane is somebody";
}

TEST(WaitWordFields, KeepSlotRoundAndStateApart) {
  const WaitWord word = WaitWord::make(WaitState::kGranted, 0x3fffffff, 8191);
  EXPECT_EQ(WaitState::kGranted, word.state());
  EXPECT_EQ(0x3fffffffu, word.round());
  EXPECT_EQ(8191u, word.slot());
}

TEST(WaitWordFields, RoundRunsOverIntoNothingElse) {
  const WaitWord word = WaitWord::make(WaitState::kWaiting, 0x40000000, 5);
  EXPECT_EQ(0u, word.round());
  EXPECT_EQ(WaitState::kWaiting, word.state());
  EXPECT_EQ(5u, word.slot());
}

TEST(WaitWordFields, EveryDecisionChangesWhatTheWaiterSleepsOn) {
  const WaitWord waiting = WaitWord::make(WaitState::kWaiting, 9);
  EXPECT_NE(waiting.low_half(), WaitWord::make(WaitState::kGranted, 9, 0).low_half());
  EXPECT_NE(waiting.low_half(), WaitWord::make(WaitState::kCancelled, 9).low_half());
  EXPECT_NE(waiting.low_half(), WaitWord::make(WaitState::kWaiting, 10).low_half());
}

TEST(PressureWordFields, AreZeroOnlyWhenNobodyNeedsAnything) {
  EXPECT_EQ(0u, PressureWord::make(0, 0).raw);
  EXPECT_NE(0u, PressureWord::make(1, 0).raw);
  EXPECT_NE(0u, PressureWord::make(0, 1).raw);
  EXPECT_EQ(0xffffffffu, PressureWord::make(0xffffffff, 7).waiting());
  EXPECT_EQ(7u, PressureWord::make(0xffffffff, 7).excess());
}

TEST(SlotWordSteps, EveryStepOfTheProtocolAndNoOther) {
  const OwnerId a = OwnerId::make(1, 7);
  constexpr SlotState kRetired = SlotState::kRetired;
  constexpr SlotState kFree = SlotState::kFree;
  constexpr SlotState kGranted = SlotState::kGranted;
  constexpr SlotState kReserved = SlotState::kReserved;
  constexpr SlotState kInUse = SlotState::kInUse;
  constexpr SlotState kIdle = SlotState::kIdle;
  constexpr SlotState kClosing = SlotState::kClosing;
  const std::pair<SlotState, SlotState> steps[] = {
      {kRetired, kFree},     {kFree, kRetired}, {kFree, kGranted},  {kFree, kReserved},
      {kGranted, kReserved}, {kGranted, kFree}, {kReserved, kFree}, {kReserved, kInUse},
      {kReserved, kIdle},    {kInUse, kIdle},   {kInUse, kClosing}, {kInUse, kFree},
      {kIdle, kInUse},       {kIdle, kIdle},    {kIdle, kClosing},  {kIdle, kFree},
      {kClosing, kFree}};
  const auto word = [&](SlotState state) {
    return SlotWord::make(state, state <= kFree ? kNobody : a);
  };
  for (int from = 0; from <= 7; ++from) {
    for (int to = 0; to <= 7; ++to) {
      bool exists = false;
      for (const auto& [f, t] : steps) {
        exists |= static_cast<int>(f) == from && static_cast<int>(t) == to;
      }
      EXPECT_EQ(exists, slot_move_allowed(word(static_cast<SlotState>(from)),
                                          word(static_cast<SlotState>(to))))
          << from << " to " << to;
    }
  }
}

TEST(Deadlines, DoNotRunOver) {
  EXPECT_EQ(15, deadline_after(10, 5));
  EXPECT_EQ(kNoDeadline, deadline_after(10, kNoDeadline));
  EXPECT_EQ(kNoDeadline, deadline_after(kNoDeadline - 1, 2));
  EXPECT_EQ(5 * kNanosPerMilli, nanos_of_millis(5));
  EXPECT_EQ(kNoDeadline, nanos_of_millis(kNoDeadline));
  EXPECT_EQ(kNoDeadline, nanos_of_millis(kNoDeadline / kNanosPerMilli + 1));
  EXPECT_LT(nanos_of_millis(kNoDeadline / kNanosPerMilli), kNoDeadline);
}

}  // namespace
}  // namespace oxpool::shm
