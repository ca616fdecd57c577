// The steward's place: had by scope, left in a state that the next one finds.
#include "shm/steward.h"

#include <gtest/gtest.h>

#include <optional>

#include "shm/burial.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

class StewardOfASegment : public test::SegmentHost {
 protected:
  StewardOfASegment() {
    const OwnerId lane = daemon().id();
    daemon_.reset();  // its place is what these tests are about
    clear_process(view(), kDaemonProcess);
    close_lane(view(), lane);
    if (take_token(lock_path(), kDaemonProcess, &token_)) throw std::runtime_error("token");
  }
  ~StewardOfASegment() override { close(token_); }

  int token_ = -1;
};

TEST_F(StewardOfASegment, HasRecordAndLaneOfTheDaemonByScope) {
  const auto worker = attach();
  {
    const Steward steward(view(), token_, "steward", 7);
    const ProcessRecord& record = *view().process(kDaemonProcess);
    EXPECT_NE(0u, record.incarnation.load());
    EXPECT_EQ(static_cast<uint32_t>(getpid()), record.pid.load());
    EXPECT_EQ(7, record.attached_ns.load());
    EXPECT_STREQ("steward", record.program);
    EXPECT_EQ(kDaemonLane, steward.locks().me.lane());
    EXPECT_FALSE(worker->liveness().dead(steward.locks().me));
    EXPECT_FALSE(steward.locks().liveness->dead(worker->id()));
    const TableLock tables(view(), steward.locks(), 0);
    EXPECT_TRUE(tables.held());
  }
  EXPECT_EQ(0u, view().process(kDaemonProcess)->incarnation.load());
  EXPECT_EQ(0u, view().lane(kDaemonLane)->incarnation.load());
}

TEST_F(StewardOfASegment, DeadOneIsFoundByTheNext) {
  std::optional<Steward> dead(std::in_place, view(), token_, "steward", 1);
  const OwnerId its_lane = dead->locks().me;
  ASSERT_EQ(LockResult::kAcquired, RobustMutex::lock(view().header().table_lock, dead->locks(), 0));
  close(token_);  // the kernel's part of its death; its records stay
  const auto worker = attach();
  EXPECT_TRUE(worker->liveness().dead(its_lane));
  ASSERT_FALSE(take_token(lock_path(), kDaemonProcess, &token_));
  const Steward next(view(), token_, "steward", 2);
  EXPECT_TRUE(worker->liveness().dead(its_lane));
  const TableLock tables(view(), next.locks(), 0);
  EXPECT_TRUE(tables.held());
}

TEST_F(StewardOfASegment, BuryingAnEarlierLifeLeavesTheRecordToTheOneThatHasIt) {
  auto dead = attach();
  PoolRecord& pool = make_pool("p", 2, *dead);
  uint32_t index;
  ASSERT_NE(nullptr, reserve(pool, *dead, &index));
  dead->die();
  const uint64_t earlier = dead->incarnation();
  // It ended well and left its lane to burial; another process has the record since.
  next_process_ = dead->process();
  const auto heir = attach();
  const Steward steward(view(), token_, "steward", 1);
  const Burial burial = bury_process(view(), steward.locks(), dead->process(), earlier, 1);
  EXPECT_TRUE(burial.complete);
  EXPECT_EQ(1u, burial.slots);
  EXPECT_EQ(heir->incarnation(), view().process(heir->process())->incarnation.load());
  EXPECT_FALSE(steward.locks().liveness->dead(heir->id()));
}

}  // namespace
}  // namespace oxpool::shm
