// Which idle slot goes when its unit is wanted elsewhere, and how many may be idle.
#include "shm/rebalance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "shm/slot.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::SegmentHost;

constexpr int64_t kNow = 1'000'000;

class Rebalancing : public SegmentHost {
 protected:
  // A unit of `lane`, last changed at `changed_ns`, whose owner comes again after `gap_ns` as a
  // rule.
  SlotRecord& put(PoolRecord& pool, AttachedLane& lane, SlotState state, int64_t changed_ns,
                  int64_t gap_ns = 0) {
    uint32_t index;
    SlotRecord* slot = reserve(pool, lane, &index);
    if (slot == nullptr) throw std::runtime_error("no free unit");
    slot->word.store(SlotWord::make(state, lane.id()).raw);
    slot->changed_ns.store(changed_ns);
    slot->gap_ns.store(gap_ns);
    return *slot;
  }
  OwnerId flag(PoolRecord& pool, uint32_t limit, OwnerId except = kNobody,
               int64_t idle_before_ns = kNoDeadline) {
    return flag_needed_last(view(), pool, except, CloseReason::kReclaim, idle_before_ns, kNow,
                            limit);
  }
};

TEST_F(Rebalancing, OfOwnersThatAreNotKnownTheLongestIdleOneGoes) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  SlotRecord& middle = put(pool, *lane, SlotState::kIdle, 200);
  SlotRecord& oldest = put(pool, *lane, SlotState::kIdle, 100);
  put(pool, *lane, SlotState::kInUse, 1);
  EXPECT_EQ(lane->id(), flag(pool, 1));
  EXPECT_EQ(CloseReason::kReclaim, load_slot(oldest).reason());
  EXPECT_EQ(kNobody, flag(pool, 1)) << "as many as wanted are flagged";
  EXPECT_EQ(CloseReason::kNone, load_slot(middle).reason());
  EXPECT_EQ(lane->id(), flag(pool, 2));
  EXPECT_EQ(CloseReason::kReclaim, load_slot(middle).reason());
  EXPECT_EQ(kNobody, flag(pool, 3)) << "no idle one is left";
}

TEST_F(Rebalancing, OnesOwnAndTheFreshOnesAreNotFlagged) {
  auto a = attach();
  auto b = attach();
  PoolRecord& pool = make_pool("p", 4, *a);
  SlotRecord& own = put(pool, *a, SlotState::kIdle, 1);
  SlotRecord& fresh = put(pool, *b, SlotState::kIdle, 500);
  EXPECT_EQ(kNobody, flag(pool, 9, a->id(), 500));
  EXPECT_EQ(b->id(), flag(pool, 9, a->id(), 501));
  EXPECT_EQ(CloseReason::kReclaim, load_slot(fresh).reason());
  EXPECT_EQ(CloseReason::kNone, load_slot(own).reason());
  EXPECT_EQ(1u, view().lane(b->id().lane())->attention.load());
  EXPECT_EQ(0u, view().lane(a->id().lane())->attention.load());
}

// Of workers that are served in turn, as php-fpm does, the one that has waited longest is the next.
TEST_F(Rebalancing, WhoIsNeededLastGoesNotWhoWaitsLongest) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  constexpr int64_t kTurn = 400'000;
  SlotRecord& next = put(pool, *lane, SlotState::kIdle, kNow - 390'000, kTurn);
  SlotRecord& later = put(pool, *lane, SlotState::kIdle, kNow - 200'000, kTurn);
  SlotRecord& last = put(pool, *lane, SlotState::kIdle, kNow - 10'000, kTurn);
  flag(pool, 1);
  EXPECT_EQ(CloseReason::kReclaim, load_slot(last).reason());
  flag(pool, 2);
  EXPECT_EQ(CloseReason::kReclaim, load_slot(later).reason());
  EXPECT_EQ(CloseReason::kNone, load_slot(next).reason());
}

// One that used to come every 10 and has not come for 900'000 will not come now.
TEST_F(Rebalancing, WhoHasStayedAwayForLongIsTakenToStayAway) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  SlotRecord& busy = put(pool, *lane, SlotState::kIdle, kNow - 5, 10);
  SlotRecord& away = put(pool, *lane, SlotState::kIdle, kNow - 900'000, 10);
  flag(pool, 1);
  EXPECT_EQ(CloseReason::kReclaim, load_slot(away).reason());
  EXPECT_EQ(CloseReason::kNone, load_slot(busy).reason());
}

TEST_F(Rebalancing, WhatIsBeingClosedIsOnItsWayToo) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  put(pool, *lane, SlotState::kClosing, 1);
  put(pool, *lane, SlotState::kIdle, 1);
  EXPECT_EQ(kNobody, flag(pool, 1));
  EXPECT_EQ(lane->id(), flag(pool, 2));
}

TEST_F(Rebalancing, OnlySleepersAreAskedIfNobodyElseIsMeant) {
  auto awake = attach();
  auto asleep = attach();
  PoolRecord& pool = make_pool("p", 4, *awake);
  put(pool, *awake, SlotState::kIdle, 1);
  put(pool, *asleep, SlotState::kIdle, kNow - 1);
  const auto flag_sleeper = [&] {
    return flag_needed_last(view(), pool, kNobody, CloseReason::kReclaim, kNoDeadline, kNow, 9,
                            Owners::kAsleep);
  };
  EXPECT_EQ(kNobody, flag_sleeper());
  view().lane(asleep->id().lane())->sleep = static_cast<uint32_t>(LaneSleep::kSignal);
  EXPECT_EQ(asleep->id(), flag_sleeper());
  EXPECT_EQ(kNobody, flag_sleeper());
}

TEST_F(Rebalancing, ScribbledTimesNeitherOverflowNorChooseOutOfRange) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  put(pool, *lane, SlotState::kIdle, kNoDeadline - 1, kNoDeadline);
  put(pool, *lane, SlotState::kIdle, -kNoDeadline, -5);
  put(pool, *lane, SlotState::kIdle, 0, kNoDeadline);
  for (uint32_t i = 1; i <= 3; ++i) EXPECT_EQ(lane->id(), flag(pool, i));
}

// Each asks for one, until each has one: nobody goes without while there is one more.
TEST_F(Rebalancing, WhoAsksAtTheSameTimeGetsAnotherOne) {
  auto lane = attach();
  constexpr uint32_t kAskers = 4;
  PoolRecord& pool = make_pool("p", kAskers, *lane);
  SlotRecord* slots[kAskers];
  for (SlotRecord*& slot : slots) slot = &put(pool, *lane, SlotState::kIdle, 1);
  for (int round = 0; round < 300; ++round) {
    for (SlotRecord* slot : slots) slot->word = SlotWord::make(SlotState::kIdle, lane->id()).raw;
    std::atomic<uint32_t> ready{0};
    std::atomic<uint32_t> got{0};
    std::vector<std::thread> askers;
    for (uint32_t i = 0; i < kAskers; ++i) {
      askers.emplace_back([&] {
        ready.fetch_add(1);
        while (ready.load() < kAskers) {
          std::this_thread::yield();
        }
        if (flag(pool, kAskers) == lane->id()) got.fetch_add(1);
      });
    }
    for (std::thread& asker : askers) asker.join();
    ASSERT_EQ(kAskers, got.load()) << "in round " << round;
  }
}

TEST_F(Rebalancing, TheReserveIsNotFilledWithIdleOnes) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  put(pool, *lane, SlotState::kIdle, 1);
  put(pool, *lane, SlotState::kIdle, 1);
  EXPECT_TRUE(has_room_for_idle(view(), pool));
  pool.reserve = 1;
  EXPECT_TRUE(has_room_for_idle(view(), pool));
  pool.reserve = 2;
  EXPECT_FALSE(has_room_for_idle(view(), pool));
  pool.reserve = 0xffffffff;
  EXPECT_FALSE(has_room_for_idle(view(), pool));
}

TEST_F(Rebalancing, APoolThatSaysNothingIsAsConfigured) {
  auto lane = attach();
  PoolRecord& pool = make_pool("p", 4, *lane);
  EXPECT_FALSE(is_strict(view(), pool));
  EXPECT_EQ(kPatienceAuto, patience_setting_ms(view(), pool));
  view().header().default_rebalance = static_cast<uint32_t>(Rebalance::kStrict);
  view().header().default_patience_ms = 7;
  EXPECT_TRUE(is_strict(view(), pool));
  EXPECT_EQ(7u, patience_setting_ms(view(), pool));
  pool.settings.rebalance = static_cast<uint32_t>(Rebalance::kHandOver);
  pool.settings.patience_ms = 0;
  EXPECT_FALSE(is_strict(view(), pool));
  EXPECT_EQ(0u, patience_setting_ms(view(), pool));
}

TEST_F(Rebalancing, OnlyALivingLaneSleeps) {
  auto lane = attach();
  EXPECT_EQ(LaneSleep::kAwake, sleep_of(view(), lane->id()));
  Word32& sleep = view().lane(lane->id().lane())->sleep;
  sleep = static_cast<uint32_t>(LaneSleep::kSignal);
  EXPECT_EQ(LaneSleep::kSignal, sleep_of(view(), lane->id()));
  EXPECT_EQ(LaneSleep::kAwake,
            sleep_of(view(), OwnerId::make(lane->id().lane(), lane->id().incarnation() + 1)));
  EXPECT_EQ(LaneSleep::kAwake, sleep_of(view(), OwnerId::make(0xffff, 1)));
  sleep = 77;
  EXPECT_EQ(LaneSleep::kAwake, sleep_of(view(), lane->id()));
}

}  // namespace
}  // namespace oxpool::shm
