#include "daemon/ctl/arguments.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <vector>

#include "daemon/ctl/pool_argument.h"

namespace oxpool::ctl {
namespace {

struct Parsed {
  std::optional<int> exit_code;
  Arguments arguments;
  std::string said;  // on standard error
};

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "oxpoolctl");
  Parsed parsed;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  parsed.exit_code =
      parse_arguments(static_cast<int>(words.size()), words.data(), &parsed.arguments);
  parsed.said = testing::internal::GetCapturedStderr();
  testing::internal::GetCapturedStdout();
  return parsed;
}

TEST(Arguments, WhatIsNoVerbIsNamed) {
  const Parsed typo = parse({"frobnicate", "db"});
  EXPECT_EQ(2, typo.exit_code);
  EXPECT_EQ("oxpoolctl: \"frobnicate\" is no verb or option; --help lists them\n", typo.said);
  EXPECT_EQ(2, parse({"--verbose"}).exit_code);
  EXPECT_EQ(0, parse({"frobnicate", "--help"}).exit_code);
}

TEST(Arguments, EveryVerb) {
  const struct {
    std::vector<const char*> words;
    Verb verb;
  } cases[] = {{{"list"}, Verb::kList},
               {{"stats"}, Verb::kStats},
               {{"stats", "db"}, Verb::kStats},
               {{"top"}, Verb::kTop},
               {{"watch"}, Verb::kWatch},
               {{"holders", "db"}, Verb::kHolders},
               {{"waiters", "db"}, Verb::kWaiters},
               {{"evict", "db"}, Verb::kEvict},
               {{"evict", "--all", "--wait"}, Verb::kEvict},
               {{"resize", "db", "8"}, Verb::kResize},
               {{"resize", "db", "--unset"}, Verb::kResize},
               {{"pause", "db", "--fail", "--for", "5m"}, Verb::kPause},
               {{"resume", "--all"}, Verb::kResume},
               {{"drain", "--all"}, Verb::kDrain},
               {{"processes"}, Verb::kProcesses},
               {{"mutexes"}, Verb::kMutexes},
               {{"mutex", "reset", "m"}, Verb::kMutexReset},
               {{"wait"}, Verb::kWait},
               {{"doctor"}, Verb::kDoctor},
               {{"completion", "bash"}, Verb::kCompletion},
               {{"version"}, Verb::kVersion}};
  for (const auto& one : cases) {
    const Parsed parsed = parse(one.words);
    EXPECT_EQ(parsed.exit_code, std::nullopt) << one.words[0];
    EXPECT_EQ(parsed.arguments.verb, one.verb) << one.words[0];
  }
}

TEST(Arguments, WhatIsMissingOrTooMuchIsAUsageError) {
  const std::vector<std::vector<const char*>> cases = {
      {},
      {"nonsense"},
      {"list", "--nonsense"},
      {"holders"},
      {"evict"},
      {"evict", "db", "--all"},
      {"resize", "db"},
      {"resize", "db", "8", "--unset"},
      {"resize", "db", "0"},
      {"resize", "db", "-5"},
      {"resize", "db", "many"},
      {"resize", "db", "99999999999999999999"},
      {"pause", "db", "--for", "soon"},
      {"pause", "db", "--for", "-1s"},
      {"mutex"},
      {"mutex", "reset"},
      {"completion", "tcsh"},
      {"top", "--sort", "luck"},
      {"list", "--timeout", "x"},
      {"holders", ""},
  };
  for (const auto& words : cases) {
    EXPECT_EQ(parse(words).exit_code, kUsage) << testing::PrintToString(words);
  }
}

TEST(Arguments, HelpAndVersionAreDone) {
  EXPECT_EQ(parse({"--help"}).exit_code, kDone);
  EXPECT_EQ(parse({"evict", "--help"}).exit_code, kDone);
  EXPECT_EQ(parse({"--version"}).exit_code, kDone);
}

TEST(Arguments, CommonOptionsStandBeforeOrBehindTheVerb) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"--json", "--timeout", "2s", "list"}, {"list", "--json", "--timeout", "2s"}}) {
    const Parsed parsed = parse(words);
    EXPECT_TRUE(parsed.arguments.json);
    EXPECT_EQ(parsed.arguments.timeout, milliseconds(2000));
  }
}

TEST(Arguments, TheTargetIsTheSocketUnlessAnotherIsNamed) {
  unsetenv("OXPOOL_RUNTIME_DIR");
  EXPECT_EQ(parse({"list"}).arguments.target(), "unix:/run/oxpool/admin.sock");
  setenv("OXPOOL_RUNTIME_DIR", "/from/environment", 1);
  EXPECT_EQ(parse({"list"}).arguments.target(), "unix:/from/environment/admin.sock");
  EXPECT_EQ(parse({"list", "--runtime-dir", "/d"}).arguments.target(), "unix:/d/admin.sock");
  EXPECT_EQ(parse({"list", "--admin", "host:1"}).arguments.target(), "host:1");
  unsetenv("OXPOOL_RUNTIME_DIR");
}

TEST(Duration, TakesUnits) {
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("2"), milliseconds(2000));
  EXPECT_EQ(parse_duration("1.5s"), milliseconds(1500));
  EXPECT_EQ(parse_duration("5m"), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  for (const char* wrong : {"", "s", "-1s", "1d", "1 s", "nan", "inf", "1e3s", "99999999h"}) {
    EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
  }
}

TEST(PoolArgument, DigitsAreAnId) {
  v1::PoolSelector selector;
  EXPECT_TRUE(select("12", "", &selector));
  EXPECT_EQ(selector.id(), 12u);
  EXPECT_TRUE(select("0", "", &selector));
  EXPECT_EQ(selector.which_case(), v1::PoolSelector::kId);
  EXPECT_TRUE(select("name:12", "shop", &selector));
  EXPECT_EQ(selector.name(), "12");
  EXPECT_EQ(selector.namespace_(), "shop");
  EXPECT_TRUE(select("12a", "", &selector));
  EXPECT_EQ(selector.name(), "12a");
  EXPECT_TRUE(select("-1", "", &selector));
  EXPECT_EQ(selector.name(), "-1");
  EXPECT_TRUE(select("name:name:x", "", &selector));
  EXPECT_EQ(selector.name(), "name:x");
  EXPECT_FALSE(select("99999999999999999999", "", &selector));
}

}  // namespace
}  // namespace oxpool::ctl
