#include "daemon/log.h"

#include <gtest/gtest.h>

#include "daemon/repeat_limit.h"
#include "shm/clock.h"

namespace oxpool::daemon {
namespace {

TEST(Quote, MakesOnePrintableTokenOfAnyBytes) {
  EXPECT_EQ(quote("plain"), "\"plain\"");
  EXPECT_EQ(quote("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quote(std::string_view("a\nb\0c\x7f", 6)), "\"a\\x0ab\\x00c\\x7f\"");
  EXPECT_EQ(quote("größe €"), "\"größe €\"");
  EXPECT_EQ(quote("\xff\xc3"), "\"\\xff\\xc3\"");
}

TEST(Quote, CutsWhatIsTooLong) { EXPECT_EQ(quote("abcdef", 3), "\"abc…\""); }

TEST(RepeatLimit, LetsAFewThroughPerMinuteAndCountsTheRest) {
  RepeatLimit limit;
  const int64_t start_ns = 5 * shm::kNanosPerSecond;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.note("a", start_ns).log);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(limit.note("a", start_ns + i).log);
  EXPECT_TRUE(limit.note("b", start_ns).log) << "another kind";
  const auto later = limit.note("a", start_ns + 60 * shm::kNanosPerSecond);
  EXPECT_TRUE(later.log);
  EXPECT_EQ(later.held_back, 7u);
}

}  // namespace
}  // namespace oxpool::daemon
