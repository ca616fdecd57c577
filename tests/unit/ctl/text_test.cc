#include "daemon/ctl/text.h"

#include <gtest/gtest.h>

#include "daemon/ctl/display_width.h"

namespace oxpool::ctl {
namespace {

TEST(Text, NamesCanNotSteerATerminal) {
  EXPECT_EQ(printable("db ü 接続"), "db ü 接続");
  EXPECT_EQ(printable("a\nb\x1b[2Jc\x7f"), "a\\x0ab\\x1b[2Jc\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("back\\slash"), "back\\\\slash");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "C1 controls";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "\\xe2\\x80\\xaeabc")
      << "turns the direction";
  EXPECT_EQ(quoted("say \"x\""), "\"say \\\"x\\\"\"");
}

TEST(Text, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Text, Durations) {
  EXPECT_EQ(duration_text(0), "0ms");
  EXPECT_EQ(duration_text(999), "999ms");
  EXPECT_EQ(duration_text(4250), "4.2s");
  EXPECT_EQ(duration_text(190'000), "3m10s");
  EXPECT_EQ(duration_text(7'500'000), "2h05m");
  EXPECT_EQ(duration_text(273'600'000), "3d04h");
  EXPECT_EQ(duration_us_text(90), "90us");
  EXPECT_EQ(duration_us_text(1500), "1.5ms");
  EXPECT_EQ(duration_us_text(25'000), "25ms");
}

TEST(Text, Numbers) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(999), "999");
  EXPECT_EQ(number_text(1000), "1,000");
  EXPECT_EQ(number_text(1'234'567), "1,234,567");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(11 * 1024 * 1024), "11.0 MiB");
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(0.4), "0.4");
  EXPECT_EQ(rate_text(3400), "3.4k");
  EXPECT_EQ(counted(1, "slot"), "1 slot");
  EXPECT_EQ(counted(2000, "slot"), "2,000 slots");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("ü"), 1u);
  EXPECT_EQ(display_width("接続"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u) << "a combining accent";
  EXPECT_EQ(display_width("\x1b[31mred\x1b[0m"), 3u);
}

TEST(DisplayWidth, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_width("接続接続", 4), "接…") << "half of a wide one does not fit";
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

}  // namespace
}  // namespace oxpool::ctl
