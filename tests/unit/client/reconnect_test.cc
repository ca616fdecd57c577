// The daemon goes and comes back; workers go on.
#include <gtest/gtest.h>

#include <unistd.h>

#include "tests/unit/pool_inspection.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class Reconnect : public ::testing::Test {
 protected:
  Reconnect()
      : server_(few()), worker_(server_.runtime_dir()), pool_(worker_.open("p", pool_of(2))) {}

  // Slow paths until the session is as asked for; the client looks at most once a second.
  bool session_becomes(bool open) {
    return wait_until([&] {
      worker_.process().tend_session();
      return worker_.process().session_open() == open;
    });
  }

  HandshakeServer server_;
  Worker worker_;
  std::unique_ptr<Pool> pool_;
};

TEST_F(Reconnect, WorkersGoOnWithoutADaemon) {
  Worker other(server_.runtime_dir());
  auto theirs = other.open("p", pool_of(2));
  server_.stop();
  EXPECT_TRUE(session_becomes(false));
  LocalSlot& slot = take(*pool_);
  take(*theirs);
  EXPECT_EQ(Next::kTimeout, acquire_from(*theirs, 20 * kMilli).next);
  Acquire acquire(*theirs, kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  EXPECT_FALSE(give_back(*pool_, slot));
  EXPECT_EQ(Next::kMint, run(acquire, *theirs).next);
  auto another = worker_.open("made without a daemon", pool_of(1));
  take(*another);
  EXPECT_TRUE(worker_.lane().usable());
}

TEST_F(Reconnect, SessionIsResumedOnceTheDaemonIsBack) {
  const uint32_t index = worker_.process().index();
  LocalSlot& slot = take(*pool_);
  server_.stop();
  EXPECT_TRUE(session_becomes(false));
  const int before = server_.sessions_made();
  server_.start();
  EXPECT_TRUE(session_becomes(true));
  EXPECT_TRUE(wait_until([&] { return server_.sessions_made() == before + 1; }));
  EXPECT_EQ(index, worker_.process().index());
  EXPECT_FALSE(worker_.process().lost());
  EXPECT_TRUE(give_back(*pool_, slot)) << "what it had is still its own";
}

TEST_F(Reconnect, RestartBetweenTwoLooksIsNoticedToo) {
  server_.stop();
  server_.start();
  const int before = server_.sessions_made();
  EXPECT_TRUE(wait_until([&] {
    worker_.process().tend_session();
    return server_.sessions_made() > before;
  }));
  EXPECT_TRUE(session_becomes(true));
}

TEST_F(Reconnect, AcquireAndReleaseTendTheSession) {
  server_.stop();
  server_.start();
  const int before = server_.sessions_made();
  EXPECT_TRUE(wait_until([&] {
    LocalSlot& slot = take(*pool_);
    pool_->begin_close(slot, shm::CloseReason::kDiscard);
    pool_->finish_close(slot);
    return server_.sessions_made() > before;
  }));
}

TEST_F(Reconnect, DaemonThatDoesNotKnowThisLifeEndsIt) {
  LocalSlot& slot = take(*pool_);
  server_.stop();
  EXPECT_TRUE(session_becomes(false));
  server_.refuse(proto::ReplyStatus::kReattach, "unknown life");
  server_.start();
  EXPECT_TRUE(wait_until([&] {
    worker_.process().tend_session();
    return worker_.process().lost();
  }));
  EXPECT_FALSE(worker_.lane().usable());
  EXPECT_EQ(Status::kFenced, worker_.lane().unusable_status());
  EXPECT_EQ(Release::kLost, pool_->release(slot));
  EXPECT_EQ(Next::kLost, acquire_from(*pool_, 0).next);
  std::unique_ptr<Lane> lane;
  EXPECT_EQ(Status::kFenced, Lane::open(worker_.process(), &lane).status);
}

TEST_F(Reconnect, OtherRefusalsAreTriedAgain) {
  server_.stop();
  EXPECT_TRUE(session_becomes(false));
  server_.refuse(proto::ReplyStatus::kUnavailable, "stopping");
  server_.start();
  const int before = server_.sessions_made();
  EXPECT_TRUE(wait_until([&] {
    worker_.process().tend_session();
    return server_.sessions_made() > before;
  }));
  EXPECT_FALSE(worker_.process().lost());
  EXPECT_FALSE(worker_.process().session_open());
  server_.refuse(proto::ReplyStatus::kOk, "");
  EXPECT_TRUE(session_becomes(true));
}

}  // namespace
}  // namespace oxpool::test
