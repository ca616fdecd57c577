#include "daemon/admin/errands.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "shm/clock.h"

namespace oxpool::daemon::admin {
namespace {

using grpc::Status;
using grpc::StatusCode;

class ErrandsTest : public testing::Test {
 protected:
  // An errand that is done at the `turns`th step, or when its time is over.
  Errand make(int turns, int64_t time_ns = shm::kNanosPerSecond) {
    return {[this, turns, done = 0](bool last) mutable -> std::optional<Status> {
              ++steps;
              was_last = last;
              if (++done == turns) return Status::OK;
              return last ? std::optional(Status(StatusCode::ABORTED, "last")) : std::nullopt;
            },
            [this] { return gone; }, [this](Status status) { ends.push_back(status.error_code()); },
            shm::monotonic_ns() + time_ns};
  }

  boost::asio::io_context io;
  Errands errands{io};
  int steps = 0;
  bool was_last = false;
  bool gone = false;
  std::vector<StatusCode> ends;
};

TEST_F(ErrandsTest, IsDoneOnTheLoopAndOnce) {
  errands.add(make(1));
  EXPECT_EQ(steps, 0) << "not on the caller's thread";
  io.run();
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(ends, std::vector{StatusCode::OK});
}

TEST_F(ErrandsTest, IsAskedAgainUntilItIsDone) {
  errands.add(make(3));
  io.run();
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(ends, std::vector{StatusCode::OK});
}

TEST_F(ErrandsTest, IsToldWhenItsTimeIsOver) {
  errands.add(make(1'000'000, 50'000'000));
  io.run();
  EXPECT_TRUE(was_last);
  EXPECT_EQ(ends, std::vector{StatusCode::ABORTED});
}

TEST_F(ErrandsTest, IsNotBegunPastItsDeadline) {
  errands.add(make(1, 0));
  io.run();
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(ends, std::vector{StatusCode::DEADLINE_EXCEEDED});
}

TEST_F(ErrandsTest, IsNotBegunForACallerThatIsGone) {
  gone = true;
  errands.add(make(1));
  io.run();
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(ends, std::vector{StatusCode::CANCELLED});
}

TEST_F(ErrandsTest, EndsWhenItsCallerGoesAway) {
  errands.add(make(1'000'000));
  io.run_one();
  gone = true;
  io.run();
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(ends, std::vector{StatusCode::CANCELLED});
}

TEST_F(ErrandsTest, CloseEndsThoseThatWaitThoseThatCameAndThoseThatCome) {
  errands.add(make(1'000'000));
  io.run_one();
  errands.add(make(1));
  errands.close();
  errands.add(make(1));
  EXPECT_EQ(ends, std::vector(3, StatusCode::UNAVAILABLE));
  io.run();
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(ends.size(), 3u);
}

TEST_F(ErrandsTest, ThereAreSoManyAtATime) {
  for (size_t i = 0; i < Errands::kMost; ++i) errands.add(make(1));
  EXPECT_TRUE(ends.empty());
  errands.add(make(1));
  EXPECT_EQ(ends, std::vector{StatusCode::RESOURCE_EXHAUSTED});
  io.run();
  EXPECT_EQ(ends.size(), Errands::kMost + 1);
  errands.add(make(1));
  io.restart();
  io.run();
  EXPECT_EQ(ends.back(), StatusCode::OK) << "there is room again";
}

}  // namespace
}  // namespace oxpool::daemon::admin
