// Units taken, given back, hinted and flagged.
#include "shm/slot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/unit/pool_inspection.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::SegmentHost;

SlotWord word_of(SlotState state, const AttachedLane& lane) {
  return SlotWord::make(state, lane.id());
}

class Slots : public SegmentHost {
 protected:
  // A unit of `lane` in the given state, last changed at `changed_ns`.
  SlotRecord& put(PoolRecord& pool, AttachedLane& lane, SlotState state, int64_t changed_ns = 0) {
    uint32_t index;
    SlotRecord* slot = reserve(pool, lane, &index);
    if (slot == nullptr) throw std::runtime_error("no free unit");
    slot->word.store(word_of(state, lane).raw);
    slot->changed_ns.store(changed_ns);
    return *slot;
  }
};

TEST_F(Slots, TakesAsManyUnitsAsTheCapAndNoMore) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 40, *lane);
  std::vector<bool> seen(64, false);
  for (int i = 0; i < 40; ++i) {
    uint32_t index = kNoIndex;
    SlotRecord* slot = reserve(pool, *lane, &index);
    ASSERT_NE(nullptr, slot) << i;
    EXPECT_FALSE(seen[index]) << "slot " << index << " was given twice";
    seen[index] = true;
    EXPECT_EQ(view().slot(pool, index), slot);
    EXPECT_EQ(word_of(SlotState::kReserved, *lane), load_slot(*slot));
  }
  uint32_t index = 77;
  EXPECT_EQ(nullptr, reserve(pool, *lane, &index));
  EXPECT_EQ(77u, index);
}

TEST_F(Slots, FreedUnitIsTakenAgain) {
  auto a = attach();
  auto b = attach();
  PoolRecord& pool = make_pool("p", 1, *a);
  uint32_t index;
  ASSERT_NE(nullptr, reserve(pool, *a, &index));
  EXPECT_EQ(nullptr, reserve(pool, *b, &index));
  EXPECT_TRUE(free_slot(view(), pool, 0, word_of(SlotState::kReserved, *a)));
  EXPECT_NE(nullptr, reserve(pool, *b, &index));
}

TEST_F(Slots, UnitThatIsNotOnesOwnIsNotFreed) {
  auto a = attach();
  auto b = attach();
  PoolRecord& pool = make_pool("p", 1, *a);
  uint32_t index;
  SlotRecord* slot = reserve(pool, *a, &index);
  EXPECT_FALSE(free_slot(view(), pool, 0, word_of(SlotState::kReserved, *b)));
  EXPECT_FALSE(free_slot(view(), pool, 0, word_of(SlotState::kInUse, *a)));
  EXPECT_FALSE(free_slot(view(), pool, 32, word_of(SlotState::kReserved, *a))) << "no such slot";
  EXPECT_EQ(word_of(SlotState::kReserved, *a), load_slot(*slot));
  EXPECT_EQ(0u, view().chunk_of(pool, 0)->free_hint.load());
}

TEST_F(Slots, StaleHintGivesNothing) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 1, *lane);
  uint32_t index;
  ASSERT_NE(nullptr, reserve(pool, *lane, &index));
  view().chunk_of(pool, 0)->free_hint.store(0xffffffff);
  EXPECT_EQ(nullptr, reserve(pool, *lane, &index));
  EXPECT_EQ(0u, view().chunk_of(pool, 0)->free_hint.load()) << "looked at and cleared";
}

TEST_F(Slots, MissingHintIsRestoredForFreeUnitsOnly) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 3, *lane);
  uint32_t index;
  ASSERT_NE(nullptr, reserve(pool, *lane, &index));
  view().chunk_of(pool, 0)->free_hint.store(0);
  uint32_t ignored;
  EXPECT_EQ(nullptr, reserve(pool, *lane, &ignored));
  EXPECT_EQ(2u, restore_hints(view(), pool));
  EXPECT_EQ(0u, restore_hints(view(), pool));
  EXPECT_EQ(0b110u, view().chunk_of(pool, 0)->free_hint.load());
  EXPECT_NE(nullptr, reserve(pool, *lane, &ignored));
}

TEST_F(Slots, ThreadsNeverGetTheSameUnit) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20000;
  constexpr uint32_t kUnits = 3;  // fewer than threads
  std::vector<std::unique_ptr<AttachedLane>> lanes;
  for (int i = 0; i < kThreads; ++i) lanes.push_back(attach());
  PoolRecord& pool = make_pool("p", kUnits, *lanes[0]);
  std::atomic<int> holders[kUnits] = {};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        uint32_t index;
        if (reserve(pool, *lanes[i], &index) == nullptr) continue;
        ++taken;
        EXPECT_EQ(1, ++holders[index]);
        --holders[index];
        EXPECT_TRUE(free_slot(view(), pool, index, word_of(SlotState::kReserved, *lanes[i])));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(taken, kRounds);
  EXPECT_EQ(kUnits, census(view(), pool)[SlotState::kFree]);
  EXPECT_EQ(0u, restore_hints(view(), pool)) << "no hint is lost";
}

TEST_F(Slots, OnlyAnUnflaggedIdleUnitIsFlagged) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  LaneRecord& record = *view().lane(lane->id().lane());
  for (const SlotState state : {SlotState::kReserved, SlotState::kInUse, SlotState::kClosing}) {
    EXPECT_FALSE(flag_idle(view(), put(pool, *lane, state), CloseReason::kEvict));
  }
  EXPECT_EQ(0u, record.attention.load());
  SlotRecord& idle = put(pool, *lane, SlotState::kIdle);
  EXPECT_TRUE(flag_idle(view(), idle, CloseReason::kEvict));
  EXPECT_EQ(1u, record.attention.load());
  EXPECT_FALSE(flag_idle(view(), idle, CloseReason::kReclaim)) << "flagged already";
  EXPECT_EQ(CloseReason::kEvict, load_slot(idle).reason());
  EXPECT_EQ(lane->id(), load_slot(idle).owner());
}

TEST(CloseReasonText, NamesEveryReasonAndSurvivesGarbage) {
  for (int i = 0; i < kCloseReasonCount; ++i) {
    EXPECT_STRNE("unknown", close_reason_text(static_cast<CloseReason>(i)));
  }
  EXPECT_STREQ("handover", close_reason_text(CloseReason::kHandOver));
  EXPECT_STREQ("unknown", close_reason_text(static_cast<CloseReason>(15)));
}

}  // namespace
}  // namespace oxpool::shm
