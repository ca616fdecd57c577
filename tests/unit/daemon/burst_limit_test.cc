#include "daemon/burst_limit.h"

#include <gtest/gtest.h>

#include "logged_lines.h"
#include "shm/clock.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kSecondNs = shm::kNanosPerSecond;
constexpr uint32_t kLogged = 20;

class BurstLimitTest : public testing::Test {
 protected:
  // How many of so many events come through at level info.
  uint32_t logged_of(uint32_t events, const std::string& name, int64_t now_ns) {
    uint32_t logged = 0;
    for (uint32_t i = 0; i < events; ++i) {
      logged += limit.next(name, now_ns) == Level::kInfo;
    }
    return logged;
  }

  LoggedLines log;
  boost::asio::io_context io;
  BurstLimit limit{io, "workers attached"};
};

TEST_F(BurstLimitTest, LetsTheFirstLinesOfEachNamespaceThrough) {
  EXPECT_EQ(logged_of(2000, "shop", kSecondNs), kLogged);
  EXPECT_EQ(logged_of(2000, "other", kSecondNs), kLogged);
  EXPECT_EQ(logged_of(2000, "shop", 12 * kSecondNs), kLogged) << "anew after its time";
}

TEST_F(BurstLimitTest, CountsTheOthersWhenTheTimeIsOver) {
  logged_of(2000, "shop", kSecondNs);
  logged_of(kLogged, "quiet", kSecondNs);
  limit.sum_up(5 * kSecondNs);
  EXPECT_EQ(log.count("more"), 0u) << "too early";
  limit.sum_up(12 * kSecondNs);
  EXPECT_EQ(log.line("more"), "more workers attached namespace=\"shop\" count=1980 within_s=10");
  limit.sum_up(30 * kSecondNs);
  EXPECT_EQ(log.count("more"), 1u) << "once, and nothing where nothing was held back";
}

TEST_F(BurstLimitTest, CountsTheOthersBeforeTheNextLine) {
  logged_of(kLogged + 3, "shop", kSecondNs);
  EXPECT_EQ(log.count("more"), 0u);
  logged_of(1, "shop", 12 * kSecondNs);
  EXPECT_EQ(log.count("count=3"), 1u);
}

TEST_F(BurstLimitTest, ItsTimerSumsUpWhenNothingComesAnyMore) {
  logged_of(kLogged + 7, "shop", shm::monotonic_ns());
  io.run_for(std::chrono::seconds(60));  // returns when its timer is done
  EXPECT_EQ(log.count("count=7"), 1u);
}

}  // namespace
}  // namespace oxpool::daemon
