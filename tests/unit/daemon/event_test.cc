#include "daemon/event.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "daemon/event_log.h"
#include "daemon/log.h"
#include "logged_lines.h"

namespace oxpool::daemon {
namespace {

Fields every_kind() {
  return {{"pool", "a \"b\"\n\xff"},
          {"id", uint64_t{18446744073709551615u}},
          {"held_ms", -5},
          Field::word("worker", "12/3"),
          {"reason", "abcdef", 3}};
}

TEST(Event, AsText) {
  EXPECT_EQ(
      "slot leaked pool=\"a \\\"b\\\"\\x0a\\xff\" id=18446744073709551615 held_ms=-5 worker=12/3 "
      "reason=\"abc…\"",
      event_as_text("slot leaked", every_kind()));
  EXPECT_EQ("stopped", event_as_text("stopped", {}));
}

TEST(Event, AsJson) {
  const auto object =
      boost::json::parse("{" + event_as_json("slot leaked", every_kind()) + "}").as_object();
  EXPECT_EQ("slot leaked", object.at("event").as_string());
  EXPECT_EQ("a \"b\"\n\xef\xbf\xbd", object.at("pool").as_string());
  EXPECT_EQ(18446744073709551615u, object.at("id").as_uint64());
  EXPECT_EQ(-5, object.at("held_ms").as_int64());
  EXPECT_EQ("12/3", object.at("worker").as_string());
  EXPECT_EQ("abc…", object.at("reason").as_string());
}

TEST(Event, IsLoggedAndKept) {
  const LoggedLines lines;
  const uint64_t before = recent_events().last();
  log_event(Level::kWarning, "kept", {{"n", 1}});
  log_event(Level::kInfo, "left out", {}, Recent::kLeaveOut);
  log_event(Level::kDebug, "debug");
  EXPECT_EQ("kept n=1", lines.line("kept"));
  EXPECT_EQ(1u, lines.count("left out"));
  EXPECT_EQ(0u, lines.count("debug")) << "the level is info";
  const auto events = recent_events().since(before);
  ASSERT_EQ(1u, events.size());
  EXPECT_EQ("kept", events[0].name);
  EXPECT_EQ(Level::kWarning, events[0].level);
  EXPECT_EQ(before + 1, events[0].number);
  EXPECT_GT(events[0].unix_ms, 1'600'000'000'000);
}

TEST(EventLog, KeepsTheLastOnes) {
  EventLog log;
  EXPECT_TRUE(log.since(0).empty());
  for (size_t i = 0; i < EventLog::kCapacity + 3; ++i) log.add(Level::kInfo, "event", {{"i", i}});
  const auto all = log.since(0);
  ASSERT_EQ(EventLog::kCapacity, all.size());
  EXPECT_EQ(4u, all.front().number);
  EXPECT_EQ("3", all.front().fields[0].value);
  EXPECT_EQ(EventLog::kCapacity + 3, log.last());
  EXPECT_EQ(1u, log.since(log.last() - 1).size());
  EXPECT_TRUE(log.since(log.last()).empty());
  EXPECT_TRUE(log.since(UINT64_MAX).empty());
}

// What the log really writes: to standard error, in both formats.
class LogFormatTest : public testing::Test {
 protected:
  std::string written(const std::string& format) {
    const auto before = spdlog::default_logger();
    testing::internal::CaptureStderr();
    start_log("info", format);
    log_event(Level::kWarning, "slot leaked", {{"pool", "p\n"}});
    spdlog::info("not an event {}", "\"x\"");
    spdlog::default_logger()->flush();
    const std::string text = testing::internal::GetCapturedStderr();
    set_log_format("text");
    spdlog::set_default_logger(before);
    return text;
  }
};

TEST_F(LogFormatTest, Text) {
  const std::string text = written("text");
  EXPECT_NE(std::string::npos, text.find(" warning slot leaked pool=\"p\\x0a\"\n")) << text;
}

TEST_F(LogFormatTest, Json) {
  std::istringstream lines(written("json"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto object = boost::json::parse(line).as_object();
  EXPECT_EQ("warning", object.at("level").as_string());
  EXPECT_EQ("slot leaked", object.at("event").as_string());
  EXPECT_EQ("p\n", object.at("pool").as_string());
  EXPECT_EQ('T', object.at("time").as_string()[10]);
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ("not an event \"x\"", boost::json::parse(line).as_object().at("event").as_string());
}

}  // namespace
}  // namespace oxpool::daemon
