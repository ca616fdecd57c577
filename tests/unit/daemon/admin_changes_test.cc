#include "daemon/admin/changes.h"

#include "segment_fixture.h"
#include "shm/gate.h"

namespace oxpool::daemon::admin {
namespace {

using grpc::StatusCode;
using shm::SlotState;

class ChangesTest : public SegmentFixture {
 protected:
  ChangesTest() : changes(store), worker(attach(1234)), pool(make_pool("db", worker.lane)) {}

  template <typename Request>
  static void aim(Request* request) {
    request->mutable_pool()->set_name("db");
  }
  shm::SlotWord word_of(const shm::SlotRecord& slot) { return shm::load_slot(slot); }

  Changes changes;
  TestWorker worker;
  shm::PoolRecord& pool;
};

TEST_F(ChangesTest, EvictFlagsWhatIsIdleAndLeavesWhatIsInUse) {
  const auto& idle = make_slot(pool, worker.lane, SlotState::kIdle);
  const auto& used = make_slot(pool, worker.lane, SlotState::kInUse);
  v1::EvictPoolRequest request;
  v1::EvictPoolResponse response;
  aim(&request);
  EXPECT_TRUE(changes.evict(request, &response)(false)->ok());
  EXPECT_EQ(response.pools(), 1u);
  EXPECT_EQ(response.flagged(), 1u);
  EXPECT_EQ(word_of(idle).reason(), shm::CloseReason::kEvict);
  EXPECT_EQ(word_of(used).reason(), shm::CloseReason::kNone);
}

TEST_F(ChangesTest, EvictWaitsUntilTheOwnerHasClosed) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kIdle);
  v1::EvictPoolRequest request;
  v1::EvictPoolResponse response;
  request.set_all(true);
  request.set_wait(true);
  auto step = changes.evict(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  const auto closing =
      shm::SlotWord::make(SlotState::kClosing, worker.lane, shm::CloseReason::kEvict);
  ASSERT_TRUE(shm::slot_move(slot, word_of(slot), closing));
  EXPECT_EQ(step(false), std::nullopt) << "destroy runs";
  ASSERT_TRUE(shm::free_slot(view(), pool, 0, closing));
  EXPECT_TRUE(step(false)->ok());
  EXPECT_EQ(response.flagged(), 1u);
  EXPECT_EQ(response.unfinished_size(), 0);
}

TEST_F(ChangesTest, EvictNamesWhoDidNotCloseInTime) {
  make_slot(pool, worker.lane, SlotState::kIdle);
  v1::EvictPoolRequest request;
  v1::EvictPoolResponse response;
  aim(&request);
  request.set_wait(true);
  auto step = changes.evict(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  EXPECT_TRUE(step(true)->ok());
  ASSERT_EQ(response.unfinished_size(), 1);
  EXPECT_EQ(response.unfinished(0).worker().pid(), 1234u);
  EXPECT_EQ(response.unfinished(0).idle(), 1u);
  EXPECT_EQ(response.unfinished(0).pool_name(), "db");
}

TEST_F(ChangesTest, EvictNeedsATarget) {
  v1::EvictPoolRequest request;
  v1::EvictPoolResponse response;
  EXPECT_EQ(changes.evict(request, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_all(false);
  EXPECT_EQ(changes.evict(request, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(ChangesTest, ResizeStandsAboveWhatWorkersAskFor) {
  v1::ResizePoolRequest request;
  v1::ResizePoolResponse response;
  aim(&request);
  request.set_max_size(2);
  EXPECT_TRUE(changes.resize(request, &response)(false)->ok());
  EXPECT_EQ(response.previous_max_size(), 4u);
  EXPECT_EQ(response.pool().max_size(), 2u);
  EXPECT_EQ(response.pool().operator_max_size(), 2u);
  EXPECT_EQ(response.pool().requested_max_size(), 4u);
  request.set_unset(true);
  EXPECT_TRUE(changes.resize(request, &response)(false)->ok());
  EXPECT_EQ(response.pool().max_size(), 4u);
  EXPECT_EQ(response.pool().operator_max_size(), 0u);
}

TEST_F(ChangesTest, ShrinkingInterruptsNobody) {
  for (int i = 0; i < 3; ++i) make_slot(pool, worker.lane, SlotState::kInUse);
  v1::ResizePoolRequest request;
  v1::ResizePoolResponse response;
  aim(&request);
  request.set_max_size(1);
  EXPECT_TRUE(changes.resize(request, &response)(false)->ok());
  EXPECT_EQ(response.above(), 2u);
  EXPECT_EQ(response.pool().in_use(), 3u);
}

TEST_F(ChangesTest, ResizeRefusesWhatIsNoSize) {
  v1::ResizePoolResponse response;
  for (const int64_t size : {int64_t{0}, int64_t{-5}, int64_t{8193}, INT64_MAX, INT64_MIN}) {
    v1::ResizePoolRequest request;
    aim(&request);
    request.set_max_size(size);
    const auto status = changes.resize(request, &response)(false);
    EXPECT_EQ(status->error_code(), StatusCode::INVALID_ARGUMENT) << size;
    EXPECT_NE(status->error_message().find(std::to_string(size)), std::string::npos);
  }
  v1::ResizePoolRequest nothing;
  aim(&nothing);
  EXPECT_EQ(changes.resize(nothing, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(pool.operator_max_size.load(), 0u);
}

TEST_F(ChangesTest, ResizeBeyondTheRoomSaysHowMuchThereIs) {
  v1::ResizePoolRequest request;
  v1::ResizePoolResponse response;
  aim(&request);
  request.set_max_size(32 * 17);  // the segment has 16 chunks, and the pool one of them
  const auto status = changes.resize(request, &response)(false);
  EXPECT_EQ(status->error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_NE(status->error_message().find("16 more chunks"), std::string::npos)
      << status->error_message();
  EXPECT_NE(status->error_message().find("15 of 16"), std::string::npos);
  EXPECT_EQ(pool.operator_max_size.load(), 0u) << "nothing was changed";
}

TEST_F(ChangesTest, ResizeComesAgainWhileSomebodyIsInsideALock) {
  v1::ResizePoolRequest request;
  v1::ResizePoolResponse response;
  aim(&request);
  request.set_max_size(2);
  auto step = changes.resize(request, &response);
  shm::Word64& lock = view().header().table_lock;
  lock.store(worker.lane.raw << 1);
  EXPECT_EQ(step(false), std::nullopt);
  EXPECT_EQ(step(true)->error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(pool.operator_max_size.load(), 0u);
  lock.store(0);
  EXPECT_TRUE(step(false)->ok());
}

TEST_F(ChangesTest, PauseOpensByItselfAndResumeBefore) {
  v1::PausePoolRequest request;
  v1::PausePoolResponse response;
  aim(&request);
  request.set_mode(v1::PausePoolRequest::MODE_FAIL);
  request.set_for_ms(60'000);
  EXPECT_TRUE(changes.pause(request, &response)(false)->ok());
  EXPECT_EQ(response.pool().gate(), v1::GATE_FAIL);
  EXPECT_GT(response.pool().gate_left_ms(), 50'000u);
  EXPECT_EQ(shm::load_gate(pool).gate(), shm::Gate::kFail);
  v1::ResumePoolRequest resume;
  v1::ResumePoolResponse resumed;
  aim(&resume);
  EXPECT_TRUE(changes.resume(resume, &resumed)(false)->ok());
  EXPECT_EQ(resumed.resumed(), 1u);
  EXPECT_TRUE(shm::is_open(pool));
  EXPECT_TRUE(changes.resume(resume, &resumed)(false)->ok());
  EXPECT_EQ(resumed.resumed(), 1u) << "an open one is left";
}

TEST_F(ChangesTest, PauseRefusesWhatIsNoModeAndNoTime) {
  v1::PausePoolResponse response;
  v1::PausePoolRequest request;
  aim(&request);
  EXPECT_EQ(changes.pause(request, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_mode(static_cast<v1::PausePoolRequest::Mode>(77));
  EXPECT_EQ(changes.pause(request, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_mode(v1::PausePoolRequest::MODE_WAIT);
  for (const int64_t time : {int64_t{-1}, INT64_MAX, INT64_MIN}) {
    request.set_for_ms(time);
    EXPECT_EQ(changes.pause(request, &response)(false)->error_code(), StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_TRUE(shm::is_open(pool));
}

TEST_F(ChangesTest, PauseWaitsUntilNothingIsInUse) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse);
  make_slot(pool, worker.lane, SlotState::kIdle);
  v1::PausePoolRequest request;
  v1::PausePoolResponse response;
  aim(&request);
  request.set_mode(v1::PausePoolRequest::MODE_WAIT);
  request.set_wait(true);
  auto step = changes.pause(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  ASSERT_TRUE(
      shm::slot_move(slot, word_of(slot), shm::SlotWord::make(SlotState::kIdle, worker.lane)));
  EXPECT_TRUE(step(false)->ok());
  EXPECT_EQ(response.pool().idle(), 2u);
}

TEST_F(ChangesTest, AResumeEndsAPauseThatWaits) {
  make_slot(pool, worker.lane, SlotState::kInUse);
  v1::PausePoolRequest request;
  v1::PausePoolResponse response;
  aim(&request);
  request.set_mode(v1::PausePoolRequest::MODE_WAIT);
  request.set_wait(true);
  auto step = changes.pause(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  v1::ResumePoolRequest resume;
  v1::ResumePoolResponse resumed;
  resume.set_all(true);
  EXPECT_TRUE(changes.resume(resume, &resumed)(false)->ok());
  EXPECT_EQ(step(false)->error_code(), StatusCode::ABORTED);
}

TEST_F(ChangesTest, APoolThatVanishesWhileACallWaitsIsToldOfOrDone) {
  make_slot(pool, worker.lane, SlotState::kInUse);
  v1::PausePoolRequest pause;
  v1::PausePoolResponse paused;
  aim(&pause);
  pause.set_mode(v1::PausePoolRequest::MODE_WAIT);
  pause.set_wait(true);
  auto pausing = changes.pause(pause, &paused);
  v1::DrainPoolRequest drain;
  v1::DrainPoolResponse drained;
  aim(&drain);
  drain.set_wait(true);
  EXPECT_EQ(pausing(false), std::nullopt);
  auto draining = changes.drain(drain, &drained);
  EXPECT_EQ(draining(false), std::nullopt);
  pool.state.store(static_cast<uint32_t>(shm::RecordState::kFree));
  EXPECT_EQ(pausing(false)->error_code(), StatusCode::NOT_FOUND);
  EXPECT_TRUE(draining(false)->ok()) << "nothing of it is left";
}

TEST_F(ChangesTest, DrainClosesTheGateAndWaitsUntilThePoolIsEmpty) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kIdle);
  v1::DrainPoolRequest request;
  v1::DrainPoolResponse response;
  aim(&request);
  request.set_wait(true);
  auto step = changes.drain(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  EXPECT_EQ(shm::load_gate(pool).gate(), shm::Gate::kDrained);
  EXPECT_EQ(word_of(slot).reason(), shm::CloseReason::kDrain);
  // One that was parked just behind the flagging.
  const auto& late = make_slot(pool, worker.lane, SlotState::kIdle);
  EXPECT_EQ(step(false), std::nullopt);
  EXPECT_EQ(word_of(late).reason(), shm::CloseReason::kDrain);
  EXPECT_TRUE(step(true)->ok());
  EXPECT_EQ(response.unfinished_size(), 1);
  EXPECT_EQ(response.unfinished(0).idle(), 2u);
}

TEST_F(ChangesTest, AResumeEndsADrainThatWaits) {
  make_slot(pool, worker.lane, SlotState::kInUse);
  v1::DrainPoolRequest request;
  v1::DrainPoolResponse response;
  aim(&request);
  request.set_wait(true);
  auto step = changes.drain(request, &response);
  EXPECT_EQ(step(false), std::nullopt);
  shm::set_gate(view(), pool, segment->locks(), shm::Gate::kOpen, 0);
  EXPECT_EQ(step(false)->error_code(), StatusCode::ABORTED);
}

}  // namespace
}  // namespace oxpool::daemon::admin
