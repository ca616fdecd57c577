// Who is taken for alive and who for dead, and the records that this is read from.
#include "shm/liveness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "tests/unit/child_process.h"
#include "tests/unit/segment_host.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::ChildProcess;
using test::SegmentHost;
using test::SharedPage;
using test::wait_until;

class LivenessOfLanes : public SegmentHost {
 protected:
  bool dead(OwnerId lane) { return daemon().liveness().dead(lane); }
};

TEST_F(LivenessOfLanes, OwnLaneAndOwnProcessAreAlive) {
  auto worker = attach();
  EXPECT_FALSE(worker->liveness().dead(worker->id()));
  EXPECT_FALSE(worker->liveness().process_dead(worker->process(), worker->incarnation()));
}

TEST_F(LivenessOfLanes, OwnLaneIsDeadOnceItIsBuried) {
  auto worker = attach();
  close_lane(view(), worker->id());
  EXPECT_TRUE(worker->liveness().dead(worker->id()));
  clear_process(view(), worker->process());
  EXPECT_TRUE(worker->liveness().process_dead(worker->process(), worker->incarnation()));
}

TEST_F(LivenessOfLanes, AnotherProcessLivesAsLongAsItsToken) {
  auto worker = attach();
  EXPECT_FALSE(dead(worker->id()));
  worker->die();
  EXPECT_TRUE(dead(worker->id()));
  EXPECT_TRUE(daemon().liveness().process_dead(worker->process(), worker->incarnation()));
}

TEST_F(LivenessOfLanes, KilledProcessIsDead) {
  SharedPage<std::atomic<uint64_t>> lane;
  ChildProcess child([&] {
    AttachedLane worker(view(), lock_path(), 9);
    *lane = worker.id().raw;
    pause();
    return 0;
  });
  ASSERT_TRUE(wait_until([&] { return *lane != 0; }));
  EXPECT_FALSE(dead(OwnerId{*lane}));
  child.kill_and_wait();
  EXPECT_TRUE(dead(OwnerId{*lane}));
}

TEST_F(LivenessOfLanes, LaneThatIsNotInTheTableIsDead) {
  EXPECT_TRUE(dead(OwnerId::make(view().count(kLaneTable), 1)));
  EXPECT_TRUE(dead(OwnerId::make(65535, OwnerId::kMaxIncarnation)));
}

TEST_F(LivenessOfLanes, LaneOfAProcessThatIsNotInTheTableIsDead) {
  auto worker = attach();
  LaneRecord& lane = *view().lane(worker->id().lane());
  lane.claim.store(OwnerId::make(view().count(kProcessTable), worker->incarnation()).raw);
  EXPECT_TRUE(dead(worker->id()));
}

TEST_F(LivenessOfLanes, ReusedLaneIsNotMistakenForItsFormerOwner) {
  auto first = attach();
  const OwnerId old = first->id();
  close_lane(view(), old);
  auto second = attach();
  ASSERT_EQ(old.lane(), second->id().lane());
  EXPECT_TRUE(dead(old));
  EXPECT_FALSE(dead(second->id()));
}

// Who was buried alive may come to it late, and so may a burial.
TEST_F(LivenessOfLanes, ClosingARecordThatIsAnothersByNowIsNothing) {
  auto first = attach();
  const OwnerId old = first->id();
  const OwnerId old_process = OwnerId::make(first->process(), first->incarnation());
  close_lane(view(), old);
  auto second = attach();
  ASSERT_EQ(old.lane(), second->id().lane());
  close_lane(view(), old);
  EXPECT_FALSE(dead(second->id()));
  close_dead_lane(view(), old, old_process);
  EXPECT_FALSE(dead(second->id()));
  // The other one has only claimed it so far.
  LaneRecord& lane = *view().lane(old.lane());
  lane.incarnation.store(0);
  const uint64_t claim = lane.claim;
  close_lane(view(), old);
  close_dead_lane(view(), old, old_process);
  close_dead_lane(view(), OwnerId::make(old.lane(), 0), old_process);
  EXPECT_EQ(claim, lane.claim.load());
}

TEST_F(LivenessOfLanes, HalfOpenLaneIsNobody) {
  auto worker = attach();
  LaneRecord& lane = *view().lane(worker->id().lane() + 1);
  lane.claim.store(OwnerId::make(worker->process(), worker->incarnation()).raw);
  EXPECT_TRUE(dead(OwnerId::make(worker->id().lane() + 1, worker->id().incarnation())));
}

TEST_F(LivenessOfLanes, LaneTableIsFilledOnceAndEachLaneIsGivenOnce) {
  auto worker = attach();
  uint32_t lanes = 2;  // the daemon's and the worker's
  std::vector<OwnerId> opened;
  while (OwnerId id = open_lane(view(), worker->process(), worker->incarnation(), 1)) {
    for (const OwnerId other : opened) EXPECT_NE(other.lane(), id.lane());
    opened.push_back(id);
    ASSERT_LE(++lanes, view().count(kLaneTable));
  }
  EXPECT_EQ(view().count(kLaneTable) - 1, lanes) << "lane 0 is the daemon's and never given out";
  close_lane(view(), opened[3]);
  const OwnerId again = open_lane(view(), worker->process(), worker->incarnation(), 1);
  EXPECT_EQ(opened[3].lane(), again.lane());
  EXPECT_NE(opened[3].incarnation(), again.incarnation());
}

TEST_F(LivenessOfLanes, RecordOfAProcessIsPublishedAndCleared) {
  auto worker = attach();
  ProcessRecord& record = *view().process(worker->process());
  EXPECT_EQ(worker->incarnation(), record.incarnation.load());
  EXPECT_STREQ("test", record.program);
  publish_process(view(), 7, 1234, 1000, std::string(100, 'p'), 99);
  EXPECT_EQ(1234u, view().process(7)->pid.load());
  EXPECT_EQ(1000u, view().process(7)->uid.load());
  EXPECT_EQ(99, view().process(7)->attached_ns.load());
  EXPECT_EQ(31u, strnlen(view().process(7)->program, 32));
  EXPECT_EQ(8u, view().high_water(kProcessTable));
  clear_process(view(), 7);
  EXPECT_EQ(0u, view().process(7)->incarnation.load());
}

TEST_F(LivenessOfLanes, LaterProcessesHaveHigherSerials) {
  auto first = attach();
  auto second = attach();
  EXPECT_LT(view().process(first->process())->started_serial.load(),
            view().process(second->process())->started_serial.load());
}

TEST_F(LivenessOfLanes, ExtraTicketsAreGivenOnceAndComeBack) {
  auto worker = attach();
  std::vector<uint32_t> claimed;
  for (;;) {
    const uint32_t ticket = claim_extra_ticket(view(), worker->id());
    if (ticket == kNoIndex) break;
    EXPECT_GE(ticket, view().count(kLaneTable)) << "a lane's own ticket is not given away";
    claimed.push_back(ticket);
    ASSERT_LE(claimed.size(), 8u);
  }
  EXPECT_EQ(8u, claimed.size());
  release_ticket(view(), claimed[5]);
  EXPECT_EQ(claimed[5], claim_extra_ticket(view(), worker->id()));
}

TEST_F(LivenessOfLanes, ExtraTicketThatIsStillLinkedIsNotGivenAway) {
  auto worker = attach();
  const uint32_t ticket = claim_extra_ticket(view(), worker->id());
  view().ticket(ticket)->queue_pool.store(1);
  release_ticket(view(), ticket);
  EXPECT_NE(ticket, claim_extra_ticket(view(), worker->id()))
      << "a queue still leads to it: a wait elsewhere would be granted that pool's unit";
}

}  // namespace
}  // namespace oxpool::shm
