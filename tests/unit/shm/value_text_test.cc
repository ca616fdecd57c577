#include "shm/value_text.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "shm/utf8.h"
#include "shm/value_format.h"

namespace oxpool::shm {
namespace {

// Values as a worker writes them.
std::string varint(uint64_t value) {
  uint8_t bytes[kMaxVarintBytes];
  return std::string(reinterpret_cast<char*>(bytes),
                     static_cast<size_t>(put_varint(bytes, value) - bytes));
}
std::string tagged(ValueTag tag, const std::string& payload = "") {
  return static_cast<char>(tag) + payload;
}
std::string integer(int64_t value) { return tagged(ValueTag::kInt, varint(zigzag(value))); }
std::string real(double value) {
  return tagged(ValueTag::kFloat, std::string(reinterpret_cast<const char*>(&value), sizeof value));
}
std::string text(const std::string& bytes) {
  return tagged(ValueTag::kString, varint(bytes.size()) + bytes);
}
std::string list(uint64_t count, const std::string& elements) {
  return tagged(ValueTag::kList, varint(count) + elements);
}
std::string map(uint64_t count, const std::string& pairs) {
  return tagged(ValueTag::kMap, varint(count) + pairs);
}
std::string repeated(const std::string& what, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += what;
  return result;
}
std::string nested(int depth) { return repeated(list(1, ""), depth) + tagged(ValueTag::kNull); }

TEST(ValueText, shows_every_type_in_phps_notation) {
  EXPECT_EQ(value_text(tagged(ValueTag::kNull), 256), "null");
  EXPECT_EQ(value_text(tagged(ValueTag::kFalse), 256), "false");
  EXPECT_EQ(value_text(tagged(ValueTag::kTrue), 256), "true");
  EXPECT_EQ(value_text(integer(0), 256), "0");
  EXPECT_EQ(value_text(integer(-1), 256), "-1");
  EXPECT_EQ(value_text(integer(std::numeric_limits<int64_t>::min()), 256), "-9223372036854775808");
  EXPECT_EQ(value_text(integer(std::numeric_limits<int64_t>::max()), 256), "9223372036854775807");
  EXPECT_EQ(value_text(real(0.1), 256), "0.1");
  EXPECT_EQ(value_text(real(3), 256), "3.0");
  EXPECT_EQ(value_text(real(-0.0), 256), "-0.0");
  EXPECT_EQ(value_text(real(1e300), 256), "1e+300");
  EXPECT_EQ(value_text(real(std::nan("")), 256), "NAN");
  EXPECT_EQ(value_text(real(-INFINITY), 256), "-INF");
  EXPECT_EQ(value_text(text("it's \\ a text"), 256), "'it\\'s \\\\ a text'");
  EXPECT_EQ(value_text(list(0, ""), 256), "[]");
  EXPECT_EQ(value_text(list(2, integer(1) + text("b")), 256), "[1, 'b']");
  EXPECT_EQ(value_text(map(2, text("hits") + integer(3) + integer(-7) + list(0, "")), 256),
            "['hits' => 3, -7 => []]");
  EXPECT_EQ(
      value_text(
          tagged(ValueTag::kMapAhead, varint(1) + integer(5) + text("x") + varint(zigzag(9))), 256),
      "[5 => 'x']");
  EXPECT_EQ(value_text(tagged(ValueTag::kMutex, varint(5) + "other"), 256), "Mutex 'other'");
}

TEST(ValueText, bytes_that_are_no_text_are_escaped) {
  EXPECT_EQ(value_text(text(std::string("a\0b\n\x7f\xff\xc3\x28€", 11)), 256),
            "'a\\x00b\\x0a\\x7f\\xff\\xc3(€'");
}

TEST(ValueText, only_the_first_twenty_elements_of_an_array_are_shown) {
  std::string twenty = "0";
  for (int i = 1; i < 20; ++i) twenty += ", 0";
  EXPECT_EQ(value_text(list(20, repeated(integer(0), 20)), 256), "[" + twenty + "]");
  EXPECT_EQ(value_text(list(23, repeated(integer(0), 23)), 256), "[" + twenty + ", … 3 more]");
  // And what comes after that array is.
  const std::string inner = list(1000, repeated(text("inner"), 1000));
  EXPECT_TRUE(value_text(list(2, inner + integer(42)), 2048).ends_with("… 980 more], 42]"));
}

TEST(ValueText, is_cut_between_characters) {
  EXPECT_EQ(value_text(text("123456"), 8), "'123456'");
  EXPECT_EQ(value_text(text("1234567"), 8), "'1234…");
  for (size_t limit = 0; limit < 40; ++limit) {
    const std::string shown = value_text(text(repeated("é€𝄞", 10)), limit);
    EXPECT_LE(shown.size(), limit);
    EXPECT_GT(shown.size() + 4 + 3, limit) << limit;
    for (std::string_view rest = shown; !rest.empty();) {
      const size_t length = utf8_length(rest);
      ASSERT_GT(length, 0u) << limit;
      rest.remove_prefix(length);
    }
  }
}

TEST(ValueText, damage_is_told_of_where_it_is) {
  const std::string whole = map(1, text("hits") + list(30, repeated(integer(300), 30)));
  EXPECT_TRUE(value_is_whole(whole));
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string_view cut = std::string_view(whole).substr(0, length);
    EXPECT_FALSE(value_is_whole(cut)) << length;
    EXPECT_TRUE(value_text(cut, 4096).ends_with("(damaged)")) << length;
  }
  EXPECT_EQ(value_text(integer(7) + "x", 256), "7 (damaged)");
  EXPECT_FALSE(value_is_whole(integer(7) + "x"));
  EXPECT_EQ(value_text(tagged(static_cast<ValueTag>(10)), 256), "(damaged)");
  EXPECT_EQ(value_text(map(1, tagged(ValueTag::kNull) + integer(1) + integer(1)), 256),
            "[(damaged)");
}

TEST(ValueText, lengths_and_counts_beyond_the_bytes_are_damage) {
  EXPECT_EQ(value_text(tagged(ValueTag::kString, varint(UINT64_MAX) + "abc"), 256), "(damaged)");
  EXPECT_EQ(value_text(list(UINT64_MAX, integer(1)), 256), "(damaged)");
  EXPECT_EQ(value_text(map(2, integer(1) + integer(1)), 256), "(damaged)");
  EXPECT_EQ(value_text(tagged(ValueTag::kInt, std::string(10, '\xff')), 256), "(damaged)");
  EXPECT_EQ(value_text(tagged(ValueTag::kInt, std::string(9, '\x80') + '\x02'), 256), "(damaged)");
}

TEST(ValueText, nesting_has_an_end) {
  EXPECT_TRUE(value_is_whole(nested(kMaxValueDepth)));
  EXPECT_FALSE(value_is_whole(nested(kMaxValueDepth + 1)));
  EXPECT_FALSE(value_is_whole(nested(1'000'000)));
  EXPECT_FALSE(value_text(nested(kMaxValueDepth), 4096).ends_with("(damaged)"));
  EXPECT_TRUE(value_text(nested(1'000'000), 4096).ends_with("(damaged)"));
}

}  // namespace
}  // namespace oxpool::shm
