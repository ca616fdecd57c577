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

TEST(Json, Mutexes) {
  v1::ListMutexesResponse answer;
  v1::Mutex* mutex = answer.add_mutexes();
  mutex->set_name("m\xff");
  const auto told = [&] { return json_of(answer).at("mutexes").as_array()[0].as_object(); };
  EXPECT_TRUE(told().at("holder").is_null());
  EXPECT_TRUE(told().at("last_acquire_ms").is_null());
  EXPECT_EQ("corrupt", told().at("on_owner_death").as_string());
  EXPECT_EQ("bf8=", told().at("name_base64").as_string());
  mutex->mutable_holder()->set_pid(5);
  mutex->set_last_acquire_ms(0);
  mutex->set_recovers(true);
  EXPECT_EQ(5, told().at("holder").at("pid").to_number<int>());
  EXPECT_EQ(0, told().at("last_acquire_ms").to_number<int>());
  EXPECT_EQ("recover", told().at("on_owner_death").as_string());
}

TEST(Json, TablesOfANamespace) {
  v1::GetServerInfoResponse info;
  v1::Namespace* one = info.add_namespaces();
  one->mutable_mutexes()->set_used(3);
  one->mutable_mutex_seats()->set_used(4);
  one->mutable_value_units()->set_used(5);
  const auto told = json_of(info).at("namespaces").as_array()[0].as_object();
  EXPECT_EQ(3, told.at("mutexes").at("used").to_number<int>());
  EXPECT_EQ(4, told.at("mutex_seats").at("used").to_number<int>());
  EXPECT_EQ(5, told.at("value_units").at("used").to_number<int>());
}

}  // namespace
}  // namespace oxpool::ctl
