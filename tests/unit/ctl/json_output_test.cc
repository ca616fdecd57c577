#include "daemon/ctl/json_output.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace oxpool::ctl {
namespace {

TEST(Json, OddNamesAreWholeInBase64) {
  v1::Pool pool;
  pool.set_name("a\xff\"\n");
  pool.set_gate(v1::GATE_FAIL);
  const auto json = boost::json::parse(line_of(json_of(pool))).as_object();
  EXPECT_EQ(json.at("name").as_string(), "a\xef\xbf\xbd\"\n");
  EXPECT_EQ(json.at("name_base64").as_string(), "Yf8iCg==");
  EXPECT_EQ(json.at("gate").as_string(), "fail");
}

TEST(Json, PlainNamesHaveNoBase64) {
  v1::Pool pool;
  pool.set_name("db");
  EXPECT_FALSE(json_of(pool).contains("name_base64"));
}

TEST(Json, WhatIsNotSetIsNull) {
  v1::Pool pool;
  const auto settings = json_of(pool).at("settings").as_object();
  EXPECT_TRUE(settings.at("patience_ms").is_null());
  EXPECT_TRUE(settings.at("max_waiting").is_null());
  pool.mutable_settings()->set_patience_ms(0);
  EXPECT_EQ(json_of(pool).at("settings").as_object().at("patience_ms").to_number<int>(), 0);
}

TEST(Json, OneLine) {
  v1::Pool pool;
  pool.set_name("a\nb");
  const std::string line = line_of(json_of(pool));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

}  // namespace
}  // namespace oxpool::ctl
