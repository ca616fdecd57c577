#include "daemon/command_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace oxpool::daemon {
namespace {

struct Parsed {
  std::optional<int> exit_code;
  CommandLine line;
  std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "oxpoold");
  Parsed parsed;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  parsed.exit_code =
      parse_command_line(static_cast<int>(arguments.size()), arguments.data(), &parsed.line);
  testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() { unsetenv("OXPOOL_RUNTIME_DIR"); }
  ~CommandLineTest() override { unsetenv("OXPOOL_RUNTIME_DIR"); }
};

TEST_F(CommandLineTest, NothingSaidChangesNothing) {
  const Parsed parsed = parse({});
  EXPECT_FALSE(parsed.exit_code);
  Config config;
  parsed.line.apply_to(&config);
  EXPECT_EQ(config.runtime_dir, "/run/oxpool");
  EXPECT_TRUE(config.http);
  EXPECT_FALSE(config.allow_disk);
}

TEST_F(CommandLineTest, StandsAboveTheFile) {
  const Parsed parsed = parse({"--config", "/f", "--runtime-dir=/d", "--http", "off", "--log-level",
                               "error", "--allow-disk", "--reset", "--check-config"});
  ASSERT_FALSE(parsed.exit_code) << parsed.err;
  EXPECT_EQ(parsed.line.config_file, "/f");
  EXPECT_TRUE(parsed.line.reset);
  EXPECT_TRUE(parsed.line.check_config);
  Config config;
  config.runtime_dir = "/file";
  parsed.line.apply_to(&config);
  EXPECT_EQ(config.runtime_dir, "/d");
  EXPECT_FALSE(config.http);
  EXPECT_EQ(config.log_level, "error");
  EXPECT_TRUE(config.allow_disk);
}

TEST_F(CommandLineTest, EnvironmentStandsBetweenFileAndOption) {
  setenv("OXPOOL_RUNTIME_DIR", "/env", 1);
  EXPECT_EQ(parse({}).line.runtime_dir, "/env");
  EXPECT_EQ(parse({"--runtime-dir", "/d"}).line.runtime_dir, "/d");
  setenv("OXPOOL_RUNTIME_DIR", "", 1);
  EXPECT_FALSE(parse({}).line.runtime_dir);
}

TEST_F(CommandLineTest, UsageErrorsAre2AndNameTheArgument) {
  const std::vector<std::vector<const char*>> bad = {
      {"--no-such-option"}, {"--log-level", "loudest"}, {"--http", "nowhere"}, {"surplus"},
      {"--config"},         {"--admin", "/x"}};
  for (const auto& arguments : bad) {
    const Parsed parsed = parse(arguments);
    EXPECT_EQ(parsed.exit_code, 2) << arguments[0];
    EXPECT_NE(parsed.err.find(arguments.back()), std::string::npos) << parsed.err;
  }
  EXPECT_EQ(parse({"--runtime-dir", ""}).exit_code, 2);
}

TEST_F(CommandLineTest, HelpAndVersionAre0) {
  EXPECT_EQ(parse({"--help"}).exit_code, 0);
  EXPECT_EQ(parse({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace oxpool::daemon
