// The C face: a whole round, and every error code with its sentence.
#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <string>
#include <thread>

#include "client/oxpool.h"
#include "shm/burial.h"
#include "tests/unit/child_process.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class CFace : public ::testing::Test {
 protected:
  CFace() : server_(few()) {
    EXPECT_EQ(OXPOOL_OK, oxpool_attach(dir(), nullptr, "c", 30'000, &process_));
    EXPECT_EQ(OXPOOL_OK, oxpool_lane_open(process_, &lane_));
    EXPECT_EQ(OXPOOL_OK, oxpool_pool_open(lane_, "p", 1, 1, 0, &pool_));
  }
  ~CFace() override {
    oxpool_pool_close(pool_);
    oxpool_lane_close(lane_);
    oxpool_detach(process_);
  }

  const char* dir() const { return server_.runtime_dir().c_str(); }
  static bool says(const char* part) { return std::strstr(oxpool_last_error(), part) != nullptr; }
  // Mints when asked to; the slot is in use afterwards.
  oxpool_slot* take(oxpool_pool* pool, void* resource = nullptr) {
    oxpool_todo todo;
    oxpool_slot* slot;
    EXPECT_EQ(OXPOOL_OK, oxpool_acquire(pool, 0, 0, &todo, &slot));
    if (todo == OXPOOL_MINT) {
      EXPECT_EQ(OXPOOL_OK, oxpool_minted(pool, slot, resource, 5));
    }
    return slot;
  }
  oxpool_status acquire(int64_t timeout_ms) {
    oxpool_todo todo;
    oxpool_slot* slot;
    oxpool_status status;
    do {
      status = oxpool_acquire(pool_, timeout_ms, 20, &todo, &slot);
    } while (status == OXPOOL_OK && todo == OXPOOL_WAIT);
    return status;
  }
  oxpool_counts counts() {
    oxpool_counts now;
    EXPECT_EQ(OXPOOL_OK, oxpool_pool_counts(pool_, &now));
    return now;
  }

  HandshakeServer server_;
  oxpool_process* process_ = nullptr;
  oxpool_lane* lane_ = nullptr;
  oxpool_pool* pool_ = nullptr;
};

TEST_F(CFace, WholeRound) {
  int resource = 7;
  oxpool_todo todo;
  oxpool_slot* slot;
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, 0, 0, &todo, &slot));
  ASSERT_EQ(OXPOOL_MINT, todo);
  EXPECT_EQ(1u, counts().minting);
  ASSERT_EQ(OXPOOL_OK, oxpool_minted(pool_, slot, &resource, 1000));
  EXPECT_EQ(&resource, oxpool_resource(slot));
  EXPECT_EQ(1u, counts().in_use);
  ASSERT_EQ(OXPOOL_OK, oxpool_release(pool_, slot, &todo));
  EXPECT_EQ(OXPOOL_NOTHING, todo);
  EXPECT_EQ(1u, counts().idle);
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, 0, 0, &todo, &slot));
  EXPECT_EQ(OXPOOL_USE, todo);
  EXPECT_EQ(&resource, oxpool_resource(slot));
  ASSERT_EQ(OXPOOL_OK, oxpool_discard(pool_, slot));
  EXPECT_EQ(1u, counts().closing);
  oxpool_closed(pool_, slot);
  EXPECT_EQ(0u, counts().in_use + counts().idle + counts().minting + counts().closing);
  EXPECT_EQ(1u, counts().max_size);
  EXPECT_GE(oxpool_pool_id(pool_), 1u);
  EXPECT_STREQ("", oxpool_last_error());
}

TEST_F(CFace, FailedFactoryAndEviction) {
  oxpool_todo todo;
  oxpool_slot* slot;
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, 0, 0, &todo, &slot));
  oxpool_mint_failed(pool_, slot);
  slot = take(pool_);
  ASSERT_EQ(OXPOOL_OK, oxpool_release(pool_, slot, &todo));
  EXPECT_EQ(nullptr, oxpool_take_idle(pool_, 0)) << "nobody asked for it";
  EXPECT_EQ(slot, oxpool_take_idle(pool_, 1));
  oxpool_closed(pool_, slot);
  EXPECT_EQ(nullptr, oxpool_take_idle(pool_, 1));
}

TEST_F(CFace, WaiterIsToldToWaitAndThenToMint) {
  Worker other(server_.runtime_dir());
  auto theirs = other.open("p", pool_of(1));
  LocalSlot& held = oxpool::test::take(*theirs);
  oxpool_todo todo;
  oxpool_slot* slot;
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, 30'000, 0, &todo, &slot));
  EXPECT_EQ(OXPOOL_WAIT, todo);
  EXPECT_EQ(1u, counts().waiting);
  give_back(*theirs, held);
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, 30'000, 0, &todo, &slot));
  EXPECT_EQ(OXPOOL_MINT, todo);
}

TEST_F(CFace, CancelledAcquireLeavesAndIsCounted) {
  Worker other(server_.runtime_dir());
  auto theirs = other.open("p", pool_of(1));
  oxpool::test::take(*theirs);
  oxpool_todo todo;
  oxpool_slot* slot;
  ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, -1, 0, &todo, &slot));
  oxpool_acquire_cancel(pool_);
  oxpool_acquire_cancel(pool_);
  EXPECT_EQ(0u, counts().waiting);
  std::vector<shm::CounterSums> sums;
  shm::sum_counters(server_.view(), &sums);
  EXPECT_EQ(1u, sums[0][shm::Counter::failed_interrupted]);
}

TEST_F(CFace, ReleaseUnderPressureSaysClose) {
  Worker other(server_.runtime_dir());
  oxpool_slot* slot = take(pool_);
  auto theirs = other.open("p", pool_of(1));
  Acquire waiting(*theirs, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, waiting.step(0).next);
  oxpool_todo todo;
  ASSERT_EQ(OXPOOL_OK, oxpool_release(pool_, slot, &todo));
  ASSERT_EQ(OXPOOL_CLOSE, todo);
  oxpool_closed(pool_, slot);
  EXPECT_EQ(Next::kMint, waiting.step(0).next);
}

TEST_F(CFace, SaturatedTimeoutAndDeadlock) {
  take(pool_);
  EXPECT_EQ(OXPOOL_SATURATED, acquire(0));
  EXPECT_TRUE(says("saturated")) << oxpool_last_error();
  EXPECT_EQ(OXPOOL_TIMEOUT, acquire(25));
  EXPECT_TRUE(says("no slot within 25 ms")) << oxpool_last_error();
  EXPECT_EQ(OXPOOL_DEADLOCK, acquire(-1));
  EXPECT_TRUE(says("held by this thread")) << oxpool_last_error();
}

TEST_F(CFace, LongestTimeoutIsNotMistakenForNone) {
  Worker other(server_.runtime_dir());
  auto theirs = other.open("p", pool_of(1));
  oxpool::test::take(*theirs);
  oxpool_todo todo;
  oxpool_slot* slot;
  for (const int64_t timeout_ms : {INT64_MAX, INT64_MAX / 1000}) {
    ASSERT_EQ(OXPOOL_OK, oxpool_acquire(pool_, timeout_ms, 0, &todo, &slot)) << timeout_ms;
    EXPECT_EQ(OXPOOL_WAIT, todo);
    oxpool_acquire_cancel(pool_);
  }
}

TEST_F(CFace, BadArgumentsAreInvalid) {
  oxpool_pool* pool = nullptr;
  EXPECT_EQ(OXPOOL_INVALID, oxpool_pool_open(lane_, "", 0, 1, 0, &pool));
  EXPECT_TRUE(says("1 to 255")) << oxpool_last_error();
  EXPECT_EQ(OXPOOL_INVALID,
            oxpool_pool_open(lane_, std::string(256, 'x').data(), 256, 1, 0, &pool));
  EXPECT_EQ(OXPOOL_INVALID, oxpool_pool_open(lane_, "q", 1, 0, 0, &pool));
  EXPECT_TRUE(says("max_size is 0")) << oxpool_last_error();
  EXPECT_EQ(nullptr, pool);
}

TEST_F(CFace, FullTablesAreCapacity) {
  oxpool_pool* pool = nullptr;
  EXPECT_EQ(OXPOOL_CAPACITY, oxpool_pool_open(lane_, "q", 1, 100'000, 0, &pool));
  EXPECT_TRUE(says("100000")) << oxpool_last_error();
}

TEST_F(CFace, NobodyThereIsUnavailable) {
  oxpool_process* process = nullptr;
  EXPECT_EQ(OXPOOL_UNAVAILABLE,
            oxpool_attach("/dev/shm/nobody-there", nullptr, nullptr, 100, &process));
  EXPECT_TRUE(says("/dev/shm/nobody-there/client.sock")) << oxpool_last_error();
  EXPECT_EQ(nullptr, process);
}

TEST_F(CFace, RefusalsHaveTheirCodes) {
  const std::pair<proto::ReplyStatus, oxpool_status> expected[] = {
      {proto::ReplyStatus::kRefused, OXPOOL_REFUSED},
      {proto::ReplyStatus::kAbi, OXPOOL_ABI},
      {proto::ReplyStatus::kBadRequest, OXPOOL_PROTOCOL},
      {proto::ReplyStatus::kFull, OXPOOL_CAPACITY}};
  for (const auto& [sent, status] : expected) {
    server_.refuse(sent, "because");
    oxpool_process* process = nullptr;
    EXPECT_EQ(status, oxpool_attach(dir(), nullptr, nullptr, 30'000, &process));
    EXPECT_TRUE(says("because")) << oxpool_last_error();
  }
}

TEST_F(CFace, BuriedLifeIsFenced) {
  Worker other(server_.runtime_dir());
  oxpool_slot* slot = take(pool_);
  const shm::SegmentView& view = other.lane().view();
  ASSERT_TRUE(
      shm::bury_process(view, other.lane().lock_context(), 1, view.process(1)->incarnation, 1)
          .complete);
  oxpool_todo todo;
  EXPECT_EQ(OXPOOL_FENCED, oxpool_release(pool_, slot, &todo));
  EXPECT_TRUE(says("attach anew")) << oxpool_last_error();
  EXPECT_EQ(OXPOOL_FENCED, acquire(0));
  EXPECT_EQ(OXPOOL_FENCED, oxpool_discard(pool_, slot));
  oxpool_counts now;
  EXPECT_EQ(OXPOOL_FENCED, oxpool_pool_counts(pool_, &now));
  oxpool_pool* pool = nullptr;
  EXPECT_EQ(OXPOOL_FENCED, oxpool_pool_open(lane_, "q", 1, 1, 0, &pool));
}

TEST_F(CFace, InheritedHandlesAreForkedAndMayBeClosed) {
  oxpool_slot* slot = take(pool_);
  ChildProcess child([&] {
    oxpool_todo todo;
    oxpool_lane* lane = nullptr;
    oxpool_pool* pool = nullptr;
    oxpool_counts now;
    if (oxpool_release(pool_, slot, &todo) != OXPOOL_FORKED) return 1;
    if (acquire(0) != OXPOOL_FORKED) return 2;
    if (oxpool_minted(pool_, slot, nullptr, 0) != OXPOOL_FORKED) return 3;
    if (oxpool_lane_open(process_, &lane) != OXPOOL_FORKED) return 4;
    if (oxpool_pool_open(lane_, "q", 1, 1, 0, &pool) != OXPOOL_FORKED) return 5;
    if (oxpool_pool_counts(pool_, &now) != OXPOOL_FORKED) return 6;
    if (oxpool_take_idle(pool_, 1) != nullptr) return 7;
    if (!says("fork()")) return 8;
    oxpool_pool_close(pool_);
    oxpool_lane_close(lane_);
    oxpool_detach(process_);
    return 0;
  });
  EXPECT_EQ(0, child.wait());
  EXPECT_EQ(1u, counts().in_use);
}

TEST_F(CFace, ErrorTextBelongsToItsThreadAndItsCall) {
  oxpool_pool* pool = nullptr;
  EXPECT_EQ(OXPOOL_INVALID, oxpool_pool_open(lane_, "q", 1, 0, 0, &pool));
  std::thread([] { EXPECT_STREQ("", oxpool_last_error()); }).join();
  EXPECT_STRNE("", oxpool_last_error());
  counts();
  EXPECT_STREQ("", oxpool_last_error());
}

TEST_F(CFace, ClosingNothingIsAllowed) {
  oxpool_pool_close(nullptr);
  oxpool_lane_close(nullptr);
  oxpool_detach(nullptr);
}

}  // namespace
}  // namespace oxpool::test
