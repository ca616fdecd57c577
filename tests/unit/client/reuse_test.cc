// One worker and its own slots: reuse, flags, eviction, failed factories, what a pool leaves
// behind.
#include <gtest/gtest.h>

#include "shm/slot.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;
using shm::SlotState;

class Reuse : public ::testing::Test {
 protected:
  Reuse() : server_(few()), worker_(server_.runtime_dir()) {}

  shm::SlotWord word(const LocalSlot& slot) { return shm::load_slot(*slot.record); }
  // The daemon flags an idle slot that it takes to be idle for `idle_ns`.
  void flag(LocalSlot& slot, CloseReason reason, int64_t idle_ns = 0) {
    if (idle_ns > 0) slot.record->changed_ns = worker_.process().shared_coarse_ns() - idle_ns;
    ASSERT_TRUE(shm::flag_idle(worker_.lane().view(), *slot.record, reason));
  }
  uint64_t closed_for(Pool& pool, CloseReason reason) {
    return pool.seat().counts.evicted[static_cast<int>(reason)];
  }
  uint64_t counted(Pool& pool, Counter counter) {
    return pool.seat().counts.counters[static_cast<int>(counter)];
  }

  HandshakeServer server_;
  Worker worker_;
};

TEST_F(Reuse, TakesTheWarmestFirst) {
  auto pool = worker_.open("p", pool_of(4));
  LocalSlot& a = take(*pool);
  LocalSlot& b = take(*pool);
  LocalSlot& c = take(*pool);
  for (LocalSlot* slot : {&b, &c, &a}) EXPECT_TRUE(give_back(*pool, *slot));
  EXPECT_EQ(3u, pool->idle_here());
  EXPECT_EQ(&a, pool->reuse_idle());
  EXPECT_EQ(&c, pool->reuse_idle());
  EXPECT_EQ(&b, pool->reuse_idle());
  EXPECT_EQ(nullptr, pool->reuse_idle());
  EXPECT_EQ(3u, pool->counts().in_use);
}

TEST_F(Reuse, MintsOnlyWhatItDoesNotHave) {
  auto pool = worker_.open("p", pool_of(4));
  for (int i = 0; i < 10; ++i) {
    LocalSlot& slot = take(*pool);
    EXPECT_EQ(SlotState::kInUse, word(slot).state());
    EXPECT_TRUE(give_back(*pool, slot));
    EXPECT_EQ(SlotState::kIdle, word(slot).state());
  }
  EXPECT_EQ(1u, counted(*pool, Counter::mints));
  EXPECT_EQ(10u, counted(*pool, Counter::acquire_ok));
  EXPECT_EQ(10u, counted(*pool, Counter::releases));
}

TEST_F(Reuse, FailedFactoryGivesTheUnitBackAtOnce) {
  auto pool = worker_.open("p", pool_of(1));
  Acquire acquire(*pool, 0, shm::monotonic_ns());
  const Acquire::Step step = acquire.step(0);
  ASSERT_EQ(Next::kMint, step.next);
  EXPECT_EQ(1u, pool->counts().minting);
  EXPECT_EQ(Next::kSaturated, acquire_from(*pool, 0).next) << "it counts before the factory runs";
  pool->mint_failed(*step.slot);
  EXPECT_EQ(0u, pool->counts().minting);
  EXPECT_EQ(1u, counted(*pool, Counter::failed_factory));
  take(*pool);
}

TEST_F(Reuse, DiscardedSlotCountsUntilItIsClosed) {
  auto pool = worker_.open("p", pool_of(1));
  LocalSlot& slot = take(*pool);
  ASSERT_TRUE(pool->begin_close(slot, CloseReason::kDiscard));
  EXPECT_EQ(1u, pool->counts().closing);
  EXPECT_EQ(Next::kSaturated, acquire_from(*pool, 0).next);
  pool->finish_close(slot);
  EXPECT_EQ(1u, closed_for(*pool, CloseReason::kDiscard));
  EXPECT_EQ(Next::kMint, acquire_from(*pool, 0).next);
}

TEST_F(Reuse, EvictionTakesEveryIdleSlotAndNoOther) {
  auto pool = worker_.open("p", pool_of(4));
  LocalSlot& busy = take(*pool);
  LocalSlot& a = take(*pool);
  LocalSlot& b = take(*pool);
  give_back(*pool, a);
  give_back(*pool, b);
  int evicted = 0;
  while (LocalSlot* slot = pool->take_idle(CloseReason::kEvict)) {
    EXPECT_EQ(SlotState::kClosing, word(*slot).state());
    pool->finish_close(*slot);
    ++evicted;
  }
  EXPECT_EQ(2, evicted);
  EXPECT_EQ(2u, closed_for(*pool, CloseReason::kEvict));
  EXPECT_EQ(SlotState::kInUse, word(busy).state());
  EXPECT_EQ(1u, pool->counts().size());
}

TEST_F(Reuse, IdleTimeoutFlagIsVoidWhenTheSlotWasUsedMeanwhile) {
  shm::PoolRequest request = pool_of(2);
  request.idle_timeout_ms = 1000;
  auto pool = worker_.open("p", request);
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  flag(slot, CloseReason::kIdleTimeout);  // the daemon looked before the last use
  EXPECT_TRUE(worker_.lane().has_attention());
  EXPECT_TRUE(worker_.lane().attend());
  EXPECT_EQ(nullptr, pool->take_flagged());
  EXPECT_EQ(CloseReason::kNone, word(slot).reason()) << "a void flag is cleared";
  EXPECT_EQ(&slot, pool->reuse_idle());
  EXPECT_FALSE(worker_.lane().has_attention());
}

TEST_F(Reuse, IdleTimeoutFlagHoldsOnceTheTimeIsOver) {
  shm::PoolRequest request = pool_of(2);
  request.idle_timeout_ms = 1000;
  auto pool = worker_.open("p", request);
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  flag(slot, CloseReason::kIdleTimeout, 1001 * kMilli);
  EXPECT_EQ(nullptr, pool->reuse_idle()) << "a flagged slot is not handed out on the hot path";
  EXPECT_EQ(&slot, pool->take_flagged());
  EXPECT_EQ(CloseReason::kIdleTimeout, word(slot).reason());
  pool->finish_close(slot);
  EXPECT_EQ(1u, closed_for(*pool, CloseReason::kIdleTimeout));
  EXPECT_EQ(0u, pool->idle_here());
}

TEST_F(Reuse, IdleTimeoutsThatNeverComeVoidTheFlag) {
  for (const int64_t never : {int64_t{0}, INT64_MAX, INT64_MAX / 1'000'000 + 1}) {
    shm::PoolRequest request = pool_of(2);
    request.idle_timeout_ms = never;
    auto pool = worker_.open("never " + std::to_string(never), request);
    LocalSlot& slot = take(*pool);
    give_back(*pool, slot);
    flag(slot, CloseReason::kIdleTimeout, kSecond);
    EXPECT_EQ(nullptr, pool->take_flagged()) << never;
  }
}

TEST_F(Reuse, ReclaimFlagIsVoidWhenNobodyWaits) {
  auto pool = worker_.open("p", pool_of(2));
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  flag(slot, CloseReason::kReclaim);
  EXPECT_EQ(nullptr, pool->take_flagged());
  const Acquire::Step step = acquire_from(*pool, 0);
  EXPECT_EQ(Next::kReuse, step.next);
  EXPECT_EQ(&slot, step.slot);
}

TEST_F(Reuse, AcquireItselfClearsAVoidFlagAndReuses) {
  auto pool = worker_.open("p", pool_of(1));
  LocalSlot& slot = take(*pool);
  give_back(*pool, slot);
  flag(slot, CloseReason::kReclaim);
  EXPECT_EQ(Next::kReuse, acquire_from(*pool, 0).next);
  EXPECT_EQ(1u, counted(*pool, Counter::mints));
}

TEST_F(Reuse, OtherFlagsHoldAlways) {
  auto pool = worker_.open("p", pool_of(1));
  for (const CloseReason reason : {CloseReason::kEvict, CloseReason::kShutdown}) {
    LocalSlot& slot = take(*pool);
    give_back(*pool, slot);
    flag(slot, reason);
    const Acquire::Step step = acquire_from(*pool, 0);  // closes it, then mints
    EXPECT_EQ(Next::kMint, step.next);
    EXPECT_EQ(1u, closed_for(*pool, reason));
    pool->begin_close(*step.slot, CloseReason::kDiscard);
    pool->finish_close(*step.slot);
  }
}

TEST_F(Reuse, FlaggedSlotIsTakenOutOfTheMiddle) {
  auto pool = worker_.open("p", pool_of(3));
  LocalSlot* slots[] = {&take(*pool), &take(*pool), &take(*pool)};
  for (LocalSlot* slot : slots) give_back(*pool, *slot);
  flag(*slots[1], CloseReason::kEvict);
  EXPECT_EQ(slots[1], pool->take_flagged());
  EXPECT_EQ(nullptr, pool->take_flagged());
  EXPECT_EQ(slots[2], pool->reuse_idle());
  EXPECT_EQ(slots[0], pool->reuse_idle());
  EXPECT_EQ(nullptr, pool->reuse_idle());
}

TEST_F(Reuse, PoolThatGoesFreesWhatItHeldAndLeavesItsSeat) {
  Worker other(server_.runtime_dir());
  auto theirs = other.open("p", pool_of(3));
  {
    auto pool = worker_.open("p", pool_of(3));
    take(*pool);
    give_back(*pool, take(*pool));
    EXPECT_EQ(2u, theirs->record().seats);
  }
  EXPECT_EQ(1u, theirs->record().seats);
  EXPECT_EQ(0u, theirs->counts().size());
  expect_whole(theirs->lane().view(), theirs->record(), 3);
}

TEST_F(Reuse, TwoPoolsOfOneLaneDoNotFreeEachOthersUnits) {
  auto first = worker_.open("p", pool_of(1));
  auto second = worker_.open("p", pool_of(1));
  LocalSlot& slot = take(*first);
  first->begin_close(slot, CloseReason::kDiscard);
  first->finish_close(slot);
  LocalSlot& same_unit = take(*second);
  ASSERT_EQ(slot.index, same_unit.index);
  first.reset();
  EXPECT_EQ(1u, second->counts().in_use) << "the first pool had given this unit back";
  EXPECT_TRUE(give_back(*second, same_unit));
}

TEST_F(Reuse, TicksAndTakesOfAnEmptyPoolAreNothing) {
  auto pool = worker_.open("p", pool_of(1));
  EXPECT_EQ(nullptr, pool->reuse_idle());
  EXPECT_EQ(nullptr, pool->take_flagged());
  EXPECT_EQ(nullptr, pool->take_idle(CloseReason::kEvict));
  EXPECT_EQ(nullptr, pool->take_abandoned());
  EXPECT_EQ(0u, pool->idle_here());
}

}  // namespace
}  // namespace oxpool::test
