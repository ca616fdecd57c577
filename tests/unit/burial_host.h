// A lane that dies and one that lives, at one pool of three units.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "shm/burial.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {

class BurialOf : public test::SegmentHost {
 protected:
  BurialOf() : dead_(attach()), living_(attach()), pool_(make_pool("p", 3, *dead_)) {
    sit(pool_, *living_);
  }

  uint32_t sit(PoolRecord& pool, test::AttachedLane& lane) {
    uint32_t seat = kNoIndex;
    TableLock tables(view(), lane.context(), 0);
    EXPECT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(pool), lane.id(), &seat));
    return seat;
  }
  SlotRecord& put(PoolRecord& pool, test::AttachedLane& lane, SlotState state,
                  CloseReason reason = CloseReason::kNone) {
    uint32_t index;
    SlotRecord* slot = reserve(pool, lane, &index);
    if (slot == nullptr) throw std::runtime_error("no free unit");
    slot->word.store(SlotWord::make(state, lane.id(), reason).raw);
    return *slot;
  }
  void join(PoolRecord& pool, test::AttachedLane& lane, uint32_t ticket = kNoIndex) {
    PoolLock lock(view(), pool, lane.context(), 0);
    const uint32_t own = lane.id().lane();
    enqueue(lock, {ticket == kNoIndex ? own : ticket, lane.id(), 1, kNoDeadline});
    serve(lock);
  }
  // The daemon's whole burial of the dead lane's process.
  Burial bury(int64_t lock_patience_ns = kLockPatienceNs) {
    dead_->die();
    return bury_process(view(), daemon().context(), dead_->process(), dead_->incarnation(), 7,
                        lock_patience_ns);
  }
  bool granted(const test::AttachedLane& lane) {
    return WaitWord{view().ticket(lane.id().lane())->wait_word}.state() == WaitState::kGranted;
  }
  uint64_t lost_to_death(uint32_t pool = 0) {
    std::vector<CounterSums> sums;
    sum_counters(view(), &sums);
    return sums[pool].evicted[static_cast<int>(CloseReason::kDeadOwner)];
  }

  std::unique_ptr<test::AttachedLane> dead_;
  std::unique_ptr<test::AttachedLane> living_;
  PoolRecord& pool_;
};

}  // namespace oxpool::shm
