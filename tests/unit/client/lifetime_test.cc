// How long a resource lives, and how many idle ones are kept.
#include <gtest/gtest.h>

#include <set>

#include "shm/aging.h"
#include "shm/slot.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::SlotState;

class Lifetime : public ::testing::Test {
 protected:
  Lifetime() : server_(few()), worker_(server_.runtime_dir()) {}

  std::unique_ptr<Pool> open(int64_t lifetime_ms, uint32_t min_idle = 0, int64_t idle_ms = 0) {
    shm::PoolRequest request = pool_of(8);
    request.max_lifetime_ms = lifetime_ms;
    request.idle_timeout_ms = idle_ms;
    request.min_idle = min_idle;
    return worker_.open("p", request);
  }
  int64_t now_ns() { return worker_.process().shared_coarse_ns(); }
  // What the daemon's scheduler does at that time.
  uint32_t flag(Pool& pool, int64_t at_ns) {
    uint32_t flagged = 0;
    shm::flag_overdue(worker_.lane().view(), pool.record(), at_ns, &flagged);
    return flagged;
  }
  void grow_old(LocalSlot& slot) {
    slot.expires_ns = now_ns() - 1;
    slot.record->expires_ns = slot.expires_ns;
  }
  uint64_t closed_for(Pool& pool, CloseReason reason) {
    return pool.seat().counts.evicted[static_cast<int>(reason)];
  }

  HandshakeServer server_;
  Worker worker_;
};

TEST_F(Lifetime, IsDrawnForEachBetween80And100Percent) {
  auto pool = open(1'000'000);
  const int64_t whole_ns = 1'000'000 * kMilli;
  std::set<int64_t> lives;
  std::vector<LocalSlot*> slots;
  for (int i = 0; i < 8; ++i) slots.push_back(&take(*pool));
  for (LocalSlot* slot : slots) {
    const int64_t life_ns = slot->expires_ns - slot->record->minted_ns;
    EXPECT_GE(life_ns, whole_ns / 100 * 80);
    EXPECT_LE(life_ns, whole_ns);
    EXPECT_EQ(slot->expires_ns, slot->record->expires_ns);
    lives.insert(life_ns);
    give_back(*pool, *slot);
  }
  EXPECT_GT(lives.size(), 6u) << "they must not end together";
}

TEST_F(Lifetime, WithoutOneNothingExpires) {
  auto pool = open(0);
  LocalSlot& slot = take(*pool);
  EXPECT_EQ(kNeverNs, slot.expires_ns);
  EXPECT_EQ(0, slot.record->expires_ns);
  give_back(*pool, slot);
  EXPECT_EQ(0u, flag(*pool, now_ns() + 1000 * kSecond));
}

TEST_F(Lifetime, TooOldIsNotReused) {
  auto pool = open(1000);
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  grow_old(slot);
  EXPECT_EQ(nullptr, pool->reuse_idle());
  EXPECT_EQ(Next::kMint, acquire_from(*pool, 0).next);
  EXPECT_EQ(1u, closed_for(*pool, CloseReason::kLifetime));
}

TEST_F(Lifetime, TooOldIsClosedAtItsRelease) {
  auto pool = open(1000);
  LocalSlot& slot = take(*pool);
  grow_old(slot);
  EXPECT_FALSE(give_back(*pool, slot));
  EXPECT_EQ(1u, closed_for(*pool, CloseReason::kLifetime));
}

TEST_F(Lifetime, SchedulerFlagsIdleOnesThatAreTooOld) {
  auto pool = open(1000);
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  EXPECT_EQ(0u, flag(*pool, now_ns()));
  EXPECT_EQ(1u, flag(*pool, slot.expires_ns));
  EXPECT_EQ(nullptr, pool->take_flagged()) << "a hint that came too early by the owner's clock";
  grow_old(slot);
  EXPECT_EQ(&slot, pool->take_flagged());
}

TEST_F(Lifetime, MinIdleSparesTheMostRecentlyUsed) {
  auto pool = open(0, 2, 1000);
  std::vector<LocalSlot*> slots;
  for (int i = 0; i < 4; ++i) slots.push_back(&take(*pool));
  for (LocalSlot* slot : slots) give_back(*pool, *slot);
  const int64_t long_ago_ns = now_ns() - 10 * kSecond;
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i]->record->changed_ns = long_ago_ns + static_cast<int64_t>(i);
  }
  EXPECT_EQ(2u, flag(*pool, now_ns()));
  EXPECT_NE(CloseReason::kNone, shm::load_slot(*slots[0]->record).reason());
  EXPECT_NE(CloseReason::kNone, shm::load_slot(*slots[1]->record).reason());
  EXPECT_EQ(CloseReason::kNone, shm::load_slot(*slots[2]->record).reason());
  EXPECT_EQ(CloseReason::kNone, shm::load_slot(*slots[3]->record).reason());
}

TEST_F(Lifetime, FlagsOfSeveralOwnersDoNotCloseBelowMinIdle) {
  auto pool = open(0, 1, 1000);
  Worker other(server_.runtime_dir());
  shm::PoolRequest request = pool_of(8);
  request.min_idle = 1;
  request.idle_timeout_ms = 1000;
  auto others = other.open("p", request);
  LocalSlot& mine = take(*pool);
  LocalSlot& theirs = take(*others);
  give_back(*pool, mine);
  give_back(*others, theirs);
  // Flagged when there were more idle ones than there are now.
  for (LocalSlot* slot : {&mine, &theirs}) {
    slot->record->changed_ns = now_ns() - 10 * kSecond;
    ASSERT_TRUE(shm::flag_idle(worker_.lane().view(), *slot->record, CloseReason::kIdleTimeout));
  }
  LocalSlot* closed = pool->take_flagged();
  EXPECT_EQ(&mine, closed);
  EXPECT_EQ(nullptr, others->take_flagged()) << "it is the last one";
  EXPECT_EQ(CloseReason::kNone, shm::load_slot(*theirs.record).reason()) << "its flag is void";
  pool->finish_close(*closed);
}

TEST_F(Lifetime, WarmingStopsAtTheNumberAtTheCapAndForWaiters) {
  auto pool = open(0);
  const auto make = [&](uint32_t at_most) {
    LocalSlot* slot = pool->reserve_ahead(at_most);
    return slot != nullptr && pool->minted_ahead(*slot, 1000) == Release::kKept;
  };
  EXPECT_FALSE(make(0));
  EXPECT_TRUE(make(2));
  EXPECT_TRUE(make(2));
  EXPECT_FALSE(make(2));
  LocalSlot* minting = pool->reserve_ahead(3);
  ASSERT_NE(nullptr, minting);
  EXPECT_EQ(nullptr, pool->reserve_ahead(3)) << "one that is being made counts";
  pool->mint_failed(*minting);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(make(100));
  EXPECT_EQ(nullptr, pool->reserve_ahead(100));
  EXPECT_EQ(8u, pool->counts().idle);
  expect_whole(worker_.lane().view(), pool->record(), 8);
}

TEST_F(Lifetime, WhatIsMadeAheadGoesToOneWhoHasBegunToWait) {
  auto pool = worker_.open("p", pool_of(1));
  Worker other(server_.runtime_dir());
  auto others = other.open("p", pool_of(1));
  LocalSlot* ahead = pool->reserve_ahead(1);
  ASSERT_NE(nullptr, ahead);
  Acquire waiting(*others, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, waiting.step(0).next);
  ASSERT_EQ(Release::kClose, pool->minted_ahead(*ahead, 1000));
  pool->finish_close(*ahead);
  EXPECT_EQ(Next::kMint, waiting.step(0).next);
}

}  // namespace
}  // namespace oxpool::test
