// Idle slots that are looked at: before they are handed out, and in a sweep.
#include <gtest/gtest.h>

#include "shm/slot.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;

class Checking : public ::testing::Test {
 protected:
  Checking()
      : server_(few()), worker_(server_.runtime_dir()), pool_(worker_.open("p", pool_of(8))) {
    std::vector<LocalSlot*> taken;
    for (int i = 0; i < 3; ++i) taken.push_back(&take(*pool_));
    int64_t at_ns = worker_.process().shared_coarse_ns() - kSecond;
    for (LocalSlot* slot : taken) {  // each came back in a tick of its own
      give_back(*pool_, *slot);
      slot->released_ns = at_ns;
      slot->checked_ns = at_ns++;
      slots_.push_back(slot);
    }
  }
  uint64_t counted(Counter counter) {
    return pool_->seat().counts.counters[static_cast<int>(counter)];
  }
  int64_t now_ns() { return worker_.process().shared_monotonic_ns(); }

  HandshakeServer server_;
  Worker worker_;
  std::unique_ptr<Pool> pool_;
  std::vector<LocalSlot*> slots_;
};

TEST_F(Checking, LookingIsNoAcquire) {
  const uint64_t acquired = counted(Counter::acquire_ok);
  const uint64_t released = counted(Counter::releases);
  LocalSlot* warmest = pool_->take_warmest();
  EXPECT_EQ(slots_[2], warmest);
  EXPECT_EQ(1u, pool_->counts().in_use) << "nobody else has it meanwhile";
  EXPECT_EQ(acquired, counted(Counter::acquire_ok));
  pool_->hand_out(*warmest);
  EXPECT_EQ(acquired + 1, counted(Counter::acquire_ok));

  LocalSlot* bad = pool_->take_warmest();
  EXPECT_EQ(slots_[1], bad);
  EXPECT_TRUE(pool_->reject(*bad, CloseReason::kValidate));
  pool_->finish_close(*bad);
  EXPECT_EQ(released, counted(Counter::releases));
  EXPECT_EQ(1u, pool_->seat().counts.evicted[static_cast<int>(CloseReason::kValidate)]);
  expect_whole(worker_.lane().view(), pool_->record(), 8);
}

TEST_F(Checking, SweepGoesFromTheLongestUncheckedOnAndLooksAtEachOnce) {
  const int64_t begin_ns = now_ns();
  for (LocalSlot* expected : slots_) {
    LocalSlot* slot = pool_->take_to_check(begin_ns);
    EXPECT_EQ(expected, slot);
    EXPECT_EQ(Release::kKept, pool_->put_back(*slot));
  }
  EXPECT_EQ(nullptr, pool_->take_to_check(begin_ns));
  EXPECT_EQ(slots_[0], pool_->take_to_check(now_ns())) << "the next sweep goes on with the first";
}

TEST_F(Checking, WhatWasLookedAtKeepsItsPlaceAndItsAge) {
  const int64_t changed_ns = slots_[0]->record->changed_ns;
  EXPECT_EQ(Release::kKept, pool_->put_back(*pool_->take_to_check(now_ns())));
  EXPECT_EQ(changed_ns, slots_[0]->record->changed_ns) << "its idle timeout goes on";
  EXPECT_EQ(slots_[2], pool_->reuse_idle());
  EXPECT_EQ(slots_[1], pool_->reuse_idle());
  EXPECT_EQ(slots_[0], pool_->reuse_idle());
}

TEST_F(Checking, FlaggedOnesAreNotLookedAt) {
  ASSERT_TRUE(shm::flag_idle(worker_.lane().view(), *slots_[0]->record, CloseReason::kEvict));
  EXPECT_EQ(nullptr, pool_->take_to_check(now_ns())) << "it is to be closed first";
  LocalSlot* flagged = pool_->take_flagged();
  EXPECT_EQ(slots_[0], flagged);
  pool_->finish_close(*flagged);
  EXPECT_EQ(slots_[1], pool_->take_to_check(now_ns()));
}

TEST_F(Checking, WhatWasLookedAtGoesToOneWhoHasBegunToWait) {
  Worker other(server_.runtime_dir());
  auto others = other.open("p", pool_of(3));
  for (int i = 0; i < 2; ++i) pool_->reuse_idle();
  LocalSlot* looked_at = pool_->take_to_check(now_ns());
  ASSERT_NE(nullptr, looked_at);
  Acquire waiting(*others, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, waiting.step(0).next);
  ASSERT_EQ(Release::kClose, pool_->put_back(*looked_at));
  pool_->finish_close(*looked_at);
  EXPECT_EQ(Next::kMint, waiting.step(0).next);
}

TEST_F(Checking, RefusedMintIsClosingUntilItIsSaidToBeClosed) {
  LocalSlot* slot = pool_->reserve_ahead(8);
  ASSERT_NE(nullptr, slot);
  const uint64_t mints = counted(Counter::mints);
  EXPECT_TRUE(pool_->refuse_minted(*slot, 1000));
  EXPECT_EQ(1u, pool_->counts().closing);
  EXPECT_EQ(mints, counted(Counter::mints));
  pool_->finish_close(*slot);
  EXPECT_EQ(0u, pool_->counts().closing);
}

}  // namespace
}  // namespace oxpool::test
