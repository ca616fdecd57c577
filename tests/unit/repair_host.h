// A pool in the middle of a step, and a lane that dies there with the lock in its hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "shm/burial.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {

// The tests build by hand, word by word, what death after a step leaves; then the healer takes the
// lock and everything must be whole. RECOVERY.md names them.
class Repair : public test::SegmentHost {
 public:
  using SegmentHost::attach;
  using SegmentHost::daemon;
  using SegmentHost::make_pool;
  using SegmentHost::reserve;
  using SegmentHost::view;

  Repair() : holder_(attach()), victim_(attach()), healer_(attach()) {}

  // The victim is inside, and killed there.
  void die_inside(Word64& lock) {
    lock.store(victim_->id().raw << 1);
    victim_->die();
  }
  // The next one takes the pool's lock, which repairs it.
  void heal(PoolRecord& pool) {
    PoolLock lock(view(), pool, healer_->context(), 0);
    ASSERT_TRUE(lock.held());
  }
  void heal_tables() {
    TableLock lock(view(), healer_->context(), 0);
    ASSERT_TRUE(lock.held());
  }
  void bury_victim(PoolRecord& pool) {
    Burial burial;
    PoolLock lock(view(), pool, healer_->context(), 0);
    ASSERT_TRUE(lock.held());
    bury_lane_at_pool(lock, victim_->id(), &burial);
  }

  // A pool whose units are all in the holder's use.
  PoolRecord& saturated(const std::string& name, uint32_t cap) {
    PoolRecord& pool = make_pool(name, cap, *holder_);
    uint32_t index;
    while (SlotRecord* slot = reserve(pool, *holder_, &index)) slot->word.store(in_use().raw);
    return pool;
  }
  SlotWord in_use() const { return SlotWord::make(SlotState::kInUse, holder_->id()); }

  // The holder frees a unit, and does not get the lock to serve anybody.
  void free_unit(PoolRecord& pool, uint32_t index) {
    ASSERT_TRUE(free_slot(view(), pool, index, in_use()));
  }

  TicketRecord& ticket_of(const test::AttachedLane& lane) {
    return *view().ticket(lane.id().lane());
  }
  // A living lane at the tail of the queue.
  WaitWord join(PoolRecord& pool, test::AttachedLane& lane) {
    PoolLock lock(view(), pool, lane.context(), 0);
    const WaitWord waiting = enqueue(lock, {lane.id().lane(), lane.id(), ++clock_ns_, kNoDeadline});
    serve(lock);
    return waiting;
  }
  // Whether exactly one unit is in the lane's hands, and its ticket says which.
  bool has_its_unit(PoolRecord& pool, const test::AttachedLane& lane) {
    const WaitWord wait{ticket_of(lane).wait_word.load()};
    uint32_t owned = 0;
    for_each_slot(view(), pool, [&](uint32_t, SlotRecord& slot) {
      const SlotWord word = load_slot(slot);
      if (word.owned() && word.owner() == lane.id()) ++owned;
    });
    const SlotRecord* slot = view().slot(pool, wait.slot());
    return owned == 1 && wait.state() == WaitState::kGranted && slot != nullptr &&
           load_slot(*slot).owner() == lane.id();
  }
  static std::vector<uint32_t> lanes(const std::vector<const test::AttachedLane*>& lanes) {
    std::vector<uint32_t> result;
    for (const test::AttachedLane* lane : lanes) result.push_back(lane->id().lane());
    return result;
  }

  std::unique_ptr<test::AttachedLane> holder_;  // has units in use
  std::unique_ptr<test::AttachedLane> victim_;  // dies inside
  std::unique_ptr<test::AttachedLane> healer_;  // comes next
  int64_t clock_ns_ = 1000;
};

}  // namespace oxpool::shm
