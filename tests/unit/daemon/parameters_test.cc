#include "daemon/http/parameters.h"

#include <gtest/gtest.h>

#include "daemon/http/request_error.h"

namespace oxpool::daemon::http {
namespace {

Parameters parse(std::string_view query) { return Parameters::parse(query, {"id", "limit"}); }

// Why `action` is refused; empty when it is not.
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const RequestError& error) {
    EXPECT_EQ(400u, error.status());
    return error.what();
  }
  return "";
}

std::string refused_number(std::string_view query) {
  return refusal([&] { parse(query).number("id", 1, 500); });
}

TEST(Parameters, WhatIsNotGivenIsNothing) {
  EXPECT_FALSE(parse("").text("id"));
  EXPECT_FALSE(parse("limit=1").number("id", 1, 9));
  EXPECT_FALSE(parse("&&").text("id"));
}

TEST(Parameters, ValuesAreDecoded) {
  EXPECT_EQ("a b/c", parse("id=a+b%2Fc").text("id"));
  EXPECT_EQ("1=2", parse("id=1=2").text("id"));
  EXPECT_EQ(std::string("\0\xff", 2), parse("id=%00%fF").text("id"));
  EXPECT_EQ("", parse("id").text("id"));
  EXPECT_EQ("7", parse("%69d=7").text("id")) << "names too";
}

TEST(Parameters, NumbersAreDigitsWithinTheirBounds) {
  EXPECT_EQ(500u, parse("id=500&limit=2").number("id", 1, 500));
  EXPECT_EQ(7u, parse("id=007").number("id", 1, 500));
  for (const char* bad : {"0", "501", "-1", "%2b1", "1.0", "1e2", "0x1", "", "+1", "1+", "x",
                          "99999999999999999999999", "1%00"}) {
    EXPECT_NE("", refused_number(std::string("id=") + bad)) << bad;
  }
  EXPECT_EQ("parameter id is \"abc\"; it takes a number from 1 to 500", refused_number("id=abc"));
}

TEST(Parameters, MissingOnesAreNamed) {
  EXPECT_EQ("parameter id is missing; it takes a number from 1 to 9",
            refusal([] { parse("limit=1").required_number("id", 1, 9); }));
}

TEST(Parameters, UnknownOnesAreRefused) {
  EXPECT_EQ("parameter \"lmit\" (value \"5\") is not known here; this path takes id, limit",
            refusal([] { parse("lmit=5"); }));
  EXPECT_EQ("parameter \"ID\" (value \"\") is not known here; this path takes none",
            refusal([] { Parameters::parse("ID", {}); }));
  EXPECT_NE("", refusal([] { parse("=5"); }));
}

TEST(Parameters, RepeatedOnesAreRefused) {
  EXPECT_EQ("parameter id is given twice, first as \"1\"", refusal([] { parse("id=1&id=1"); }));
}

TEST(Parameters, BadEncodingIsRefused) {
  for (const char* bad : {"id=%", "id=%2", "id=%zz", "%=1", "id=a%2"}) {
    EXPECT_NE(std::string::npos, refusal([&] { parse(bad); }).find("hexadecimal")) << bad;
  }
}

TEST(Parameters, SentencesStayShort) {
  EXPECT_LT(refusal([] { parse(std::string(2000, 'x')); }).size(), 250u);
}

}  // namespace
}  // namespace oxpool::daemon::http
