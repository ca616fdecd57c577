#include "daemon/ctl/completion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/ctl/arguments.h"

namespace oxpool::ctl {
namespace {

TEST(Completion, EveryVerbAndOptionIsInEveryScript) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    for (const VerbSummary& verb : verb_summaries()) {
      EXPECT_NE(script.find(verb.name), std::string::npos) << shell << " " << verb.name;
      for (const std::string& option : verb.options) {
        EXPECT_NE(script.find(option.substr(2)), std::string::npos) << shell << " " << option;
      }
    }
    EXPECT_NE(script.find("runtime-dir"), std::string::npos) << shell;
  }
}

TEST(Completion, KnowsWhichVerbsTakeAPool) {
  for (const VerbSummary& verb : verb_summaries()) {
    const bool expected = verb.name == "stats" || verb.name == "watch" || verb.name == "holders" ||
                          verb.name == "waiters" || verb.name == "evict" || verb.name == "resize" ||
                          verb.name == "pause" || verb.name == "resume" || verb.name == "drain";
    EXPECT_EQ(verb.takes_pool, expected) << verb.name;
  }
}

TEST(Completion, KnowsOptionsOfTheVerbBelowAVerb) {
  for (const VerbSummary& verb : verb_summaries()) {
    if (verb.name != "mutex") continue;
    const auto found = std::count(verb.options.begin(), verb.options.end(), "--namespace");
    EXPECT_EQ(1, found);
    EXPECT_EQ(1, std::count(verb.options.begin(), verb.options.end(), "--help"));
  }
}

TEST(Completion, AsksForMutexesBehindReset) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_NE(completion_script(shell).find("oxpoolctl --timeout 1s mutexes"), std::string::npos)
        << shell;
  }
}

}  // namespace
}  // namespace oxpool::ctl
