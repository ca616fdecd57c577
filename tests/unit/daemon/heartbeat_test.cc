#include "daemon/heartbeat.h"

#include <gtest/gtest.h>

#include "daemon/http/health.h"
#include "shm/clock.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kInterval = 100 * shm::kNanosPerMilli;

TEST(Heartbeat, TellsHowLateTheLoopIs) {
  Heartbeat heartbeat(kInterval, 0);
  EXPECT_EQ(0, heartbeat.overdue_ns(kInterval));
  EXPECT_EQ(5, heartbeat.overdue_ns(kInterval + 5));
  heartbeat.beat({}, kInterval + 7);
  EXPECT_EQ(0, heartbeat.overdue_ns(kInterval + 8));
  EXPECT_EQ(7, heartbeat.late_ns(kInterval + 8)) << "its last turn";
  EXPECT_EQ(20, heartbeat.late_ns(2 * kInterval + 27)) << "and the next one by now";
  heartbeat.beat({}, 2 * kInterval + 7);
  EXPECT_EQ(0, heartbeat.late_ns(2 * kInterval + 7));
}

TEST(Heartbeat, RemembersTheWorstOfTheLastMinutes) {
  constexpr int64_t kSecond = shm::kNanosPerSecond;
  Heartbeat heartbeat(kSecond, 0);
  heartbeat.beat({}, 3 * kSecond);
  heartbeat.beat({}, 4 * kSecond);
  EXPECT_EQ(2 * kSecond, heartbeat.worst_ns());
  for (int64_t now = 5; now < 110; ++now) heartbeat.beat({}, now * kSecond);
  EXPECT_EQ(2 * kSecond, heartbeat.worst_ns()) << "the minute before";
  for (int64_t now = 110; now < 200; ++now) heartbeat.beat({}, now * kSecond);
  EXPECT_EQ(0, heartbeat.worst_ns());
}

class HealthTest : public testing::Test {
 protected:
  HealthTest() : heartbeat(kInterval, shm::monotonic_ns()) { http::add_health(&router, heartbeat); }
  http::Response get(const std::string& path) { return router.handle({path, "any=thing&any"}); }

  Heartbeat heartbeat;
  http::Router router;
};

TEST_F(HealthTest, AliveAndReady) {
  EXPECT_EQ(200u, get("/healthz").status);
  EXPECT_EQ("alive\n", get("/healthz").body);
  EXPECT_EQ(200u, get("/readyz").status);
}

TEST_F(HealthTest, ReadyzSaysWhyNot) {
  heartbeat.beat({.troubles = {"the segment is broken", "client.sock is gone"}},
                 shm::monotonic_ns());
  EXPECT_EQ(503u, get("/readyz").status);
  EXPECT_EQ("the segment is broken\nclient.sock is gone\n", get("/readyz").body);
  EXPECT_EQ(200u, get("/healthz").status);
}

TEST_F(HealthTest, ALoopThatStandsStillIsNeither) {
  heartbeat.beat({}, shm::monotonic_ns() - 6 * shm::kNanosPerSecond);
  for (const char* path : {"/healthz", "/readyz"}) {
    const http::Response response = get(path);
    EXPECT_EQ(503u, response.status) << path;
    EXPECT_NE(std::string::npos, response.body.find("has not run for 5 s")) << response.body;
  }
  heartbeat.beat({}, shm::monotonic_ns());
  EXPECT_EQ(200u, get("/healthz").status);
}

}  // namespace
}  // namespace oxpool::daemon
