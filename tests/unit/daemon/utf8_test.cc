#include "daemon/utf8.h"

#include <gtest/gtest.h>

namespace oxpool::daemon {
namespace {

constexpr const char* kUnknown = "\xef\xbf\xbd";  // U+FFFD

TEST(Utf8, LeavesTextAlone) {
  EXPECT_EQ("a\n\"\x7f", as_utf8("a\n\"\x7f"));
  EXPECT_EQ("größe € 🐂", as_utf8("größe € 🐂"));
  EXPECT_EQ("\xc2\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf",
            as_utf8("\xc2\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf"));
}

TEST(Utf8, ReplacesEachByteThatIsNone) {
  EXPECT_EQ(std::string("a") + kUnknown + "b", as_utf8("a\xff"
                                                       "b"));
  EXPECT_EQ(std::string("a") + kUnknown, as_utf8(std::string_view("a\0", 2)));
  EXPECT_EQ(std::string(kUnknown) + kUnknown, as_utf8("\xe2\x82")) << "cut short";
  const char* const never[] = {
      "\xc0\x80",          // longer than needed
      "\xc1\xbf",          //
      "\xe0\x9f\xbf",      //
      "\xf0\x8f\xbf\xbf",  //
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "\xf5\x80\x80\x80",  //
      "\x80",              // continues nothing
  };
  for (const char* bytes : never) {
    std::string expected;
    for (size_t i = 0; i < std::string_view(bytes).size(); ++i) expected += kUnknown;
    EXPECT_EQ(expected, as_utf8(bytes));
  }
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ("a", utf8_prefix("a€", 1));
  EXPECT_EQ("a", utf8_prefix("a€", 3));
  EXPECT_EQ("a€", utf8_prefix("a€", 4));
  EXPECT_EQ("", utf8_prefix("€", 2));
}

}  // namespace
}  // namespace oxpool::daemon
