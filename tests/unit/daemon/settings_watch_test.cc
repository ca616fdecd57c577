#include "daemon/settings_watch.h"

#include "logged_lines.h"
#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kSecond = shm::kNanosPerSecond;
constexpr int64_t kStart = 1'000'000 * kSecond;

class SettingsWatchTest : public SegmentFixture {
 protected:
  SettingsWatchTest() : first(attach(11)), second(attach(22)), pool(make_pool("p", first.lane)) {}

  bool ask(const TestWorker& worker, uint32_t max_size) {
    shm::PoolRequest request;
    request.max_size = max_size;
    bool disagreed = false;
    shm::request_settings(pool, request,
                          view().process(worker.ref().process)->started_serial.load(), kStart,
                          &disagreed);
    return disagreed;
  }

  TestWorker first;
  TestWorker second;
  shm::PoolRecord& pool;
  LoggedLines log;
  SettingsWatch watch;
};

TEST_F(SettingsWatchTest, SaysWhoAskedForOtherValuesOnce) {
  EXPECT_FALSE(ask(first, 4));
  EXPECT_EQ(watch.run(*segment, kStart), 0u);
  EXPECT_TRUE(ask(second, 7));
  EXPECT_EQ(watch.run(*segment, kStart + kSecond / 2), 0u) << "once a second is enough";
  EXPECT_EQ(watch.run(*segment, kStart + kSecond), 1u);
  const std::string line = log.line("settings differ");
  for (const char* part : {"pool=\"p\"", "pid=22", "max_size=7", "namespace=\"test\""}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  EXPECT_TRUE(ask(first, 4));  // the earlier one asks again and loses
  EXPECT_EQ(watch.run(*segment, kStart + 2 * kSecond), 1u);
  EXPECT_NE(log.line("pid=11").find("max_size=7"), std::string::npos);
  EXPECT_EQ(watch.run(*segment, kStart + 3 * kSecond), 0u);
}

TEST_F(SettingsWatchTest, TheSameValuesAreNoNews) {
  ask(first, 4);
  ask(second, 4);
  EXPECT_EQ(watch.run(*segment, kStart), 0u);
}

}  // namespace
}  // namespace oxpool::daemon
