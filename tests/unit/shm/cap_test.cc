// The cap raised and lowered while units are out.
#include <gtest/gtest.h>

#include "shm/queue.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::SegmentHost;

class Cap : public SegmentHost {
 protected:
  Cap() : worker_(attach()), pool_(make_pool("p", 4, *worker_)) {}

  void set_cap(uint32_t max_size) {
    pool_.settings.max_size.store(max_size);
    serve_now();
  }
  void serve_now() {
    PoolLock lock(view(), pool_, worker_->context(), 0);
    ASSERT_TRUE(lock.held());
    serve(lock);
  }
  void hold(uint32_t units, SlotState state) {
    for (uint32_t i = 0; i < units; ++i) {
      uint32_t index;
      SlotRecord* slot = reserve(pool_, *worker_, &index);
      ASSERT_NE(nullptr, slot);
      slot->word.store(SlotWord::make(state, worker_->id()).raw);
      slot->changed_ns.store(++clock_ns_);
    }
  }
  // One unit of that state, whatever its flag, comes back as `finish_close` or a release does it.
  void give_back(SlotState state) {
    bool done = false;
    for_each_slot(view(), pool_, [&](uint32_t index, SlotRecord& slot) {
      const SlotWord word = load_slot(slot);
      if (done || word.state() != state) return;
      done = free_slot(view(), pool_, index, word);
    });
    ASSERT_TRUE(done);
    settle_pressure(view(), pool_, worker_->context());
  }
  uint32_t flagged() {
    uint32_t count = 0;
    for_each_slot(view(), pool_, [&](uint32_t, SlotRecord& slot) {
      if (load_slot(slot).reason() == CloseReason::kReclaim) ++count;
    });
    return count;
  }

  std::unique_ptr<AttachedLane> worker_;
  PoolRecord& pool_;
  int64_t clock_ns_ = 0;
};

TEST_F(Cap, RaisedMakesRetiredUnitsFree) {
  hold(4, SlotState::kInUse);
  set_cap(6);
  EXPECT_EQ(2u, census(view(), pool_)[SlotState::kFree]);
  expect_whole(view(), pool_, 6);
}

TEST_F(Cap, RaisedBeyondItsChunksGivesWhatThereIs) {
  set_cap(50);
  EXPECT_EQ(32u, census(view(), pool_).units());
  EXPECT_EQ(50u, pool_.cap.load());
  EXPECT_EQ(0u, load_pressure(pool_).excess());
}

TEST_F(Cap, RaisedServesWhoWaits) {
  hold(4, SlotState::kInUse);
  auto a = attach();
  {
    PoolLock lock(view(), pool_, a->context(), 0);
    enqueue(lock, {a->id().lane(), a->id(), 1, kNoDeadline});
    EXPECT_EQ(0u, serve(lock));
  }
  set_cap(5);
  EXPECT_EQ(WaitState::kGranted, WaitWord{view().ticket(a->id().lane())->wait_word.load()}.state());
  expect_whole(view(), pool_, 5);
}

TEST_F(Cap, LoweredRetiresFreeUnitsAtOnce) {
  set_cap(1);
  EXPECT_EQ(1u, census(view(), pool_).units());
  expect_whole(view(), pool_, 1);
  uint32_t index;
  EXPECT_NE(nullptr, reserve(pool_, *worker_, &index));
  EXPECT_EQ(nullptr, reserve(pool_, *worker_, &index));
}

TEST_F(Cap, LoweredInterruptsNobodyAndRetiresWhatComesBack) {
  hold(3, SlotState::kInUse);
  set_cap(1);
  EXPECT_EQ(3u, census(view(), pool_)[SlotState::kInUse]);
  EXPECT_EQ(2u, load_pressure(pool_).excess());
  EXPECT_EQ(0u, census(view(), pool_)[SlotState::kFree]);
  give_back(SlotState::kInUse);
  EXPECT_EQ(1u, load_pressure(pool_).excess());
  give_back(SlotState::kInUse);
  EXPECT_EQ(0u, load_pressure(pool_).raw);
  expect_whole(view(), pool_, 1);
  give_back(SlotState::kInUse);
  EXPECT_EQ(1u, census(view(), pool_)[SlotState::kFree]) << "the last unit is within the cap";
}

TEST_F(Cap, LoweredFlagsTheLongestIdleAsManyAsAreTooMany) {
  hold(3, SlotState::kIdle);
  set_cap(1);
  EXPECT_EQ(2u, flagged());
  EXPECT_EQ(CloseReason::kNone, load_slot(*view().slot(pool_, 2)).reason()) << "the freshest stays";
}

TEST_F(Cap, NobodyIsServedWhileThereIsExcess) {
  hold(3, SlotState::kInUse);
  set_cap(1);
  auto a = attach();
  TicketRecord& ticket = *view().ticket(a->id().lane());
  {
    PoolLock lock(view(), pool_, a->context(), 0);
    enqueue(lock, {a->id().lane(), a->id(), 1, kNoDeadline});
    serve(lock);
  }
  give_back(SlotState::kInUse);
  give_back(SlotState::kInUse);
  EXPECT_EQ(WaitState::kWaiting, WaitWord{ticket.wait_word.load()}.state());
  expect_whole(view(), pool_, 1);
  give_back(SlotState::kInUse);
  EXPECT_EQ(WaitState::kGranted, WaitWord{ticket.wait_word.load()}.state());
  expect_whole(view(), pool_, 1);
}

TEST_F(Cap, LoweredThenRaisedAgainVoidsTheExcess) {
  hold(4, SlotState::kInUse);
  set_cap(1);
  EXPECT_EQ(3u, load_pressure(pool_).excess());
  set_cap(4);
  EXPECT_EQ(0u, load_pressure(pool_).raw);
  set_cap(2);
  set_cap(3);
  EXPECT_EQ(1u, load_pressure(pool_).excess());
  give_back(SlotState::kInUse);
  expect_whole(view(), pool_, 3);
  EXPECT_EQ(0u, load_pressure(pool_).raw);
}

TEST_F(Cap, OperatorStandsAboveTheWorkers) {
  pool_.operator_max_size.store(2);
  EXPECT_EQ(2u, wanted_cap(pool_));
  serve_now();
  expect_whole(view(), pool_, 2);
  set_cap(7);
  expect_whole(view(), pool_, 2);
  pool_.operator_max_size.store(0);
  serve_now();
  expect_whole(view(), pool_, 7);
}

TEST_F(Cap, WantedIsBounded) {
  pool_.settings.max_size.store(kNoIndex);
  EXPECT_EQ(kMaxSlotsPerPool, wanted_cap(pool_));
}

TEST_F(Cap, ChangedByRandomStepsStaysWhole) {
  uint32_t random = 1;
  for (int step = 0; step < 3000; ++step) {
    random = random * 1664525 + 1013904223;
    const uint32_t choice = random >> 24;
    if (choice < 60) {
      set_cap(1 + (random >> 8) % 12);
    } else if (choice < 170) {
      uint32_t index;
      SlotRecord* slot = load_pressure(pool_).raw == 0 ? reserve(pool_, *worker_, &index) : nullptr;
      if (slot != nullptr) {
        slot->word.store(SlotWord::make(SlotState::kInUse, worker_->id()).raw);
      }
    } else if (census(view(), pool_)[SlotState::kInUse] > 0) {
      give_back(SlotState::kInUse);
    }
    expect_whole(view(), pool_, pool_.settings.max_size.load());
    if (HasFailure()) FAIL() << "step " << step;
  }
}

}  // namespace
}  // namespace oxpool::shm
