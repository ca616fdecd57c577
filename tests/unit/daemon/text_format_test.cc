#include "daemon/http/text_format.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <cmath>
#include <sstream>

#include "daemon/http/family.h"

namespace oxpool::daemon::http {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// The library's own serialiser is the reference.
void expect_as_the_library(const std::vector<MetricFamily>& families) {
  std::ostringstream out;
  TextFormat().Serialize(out, families);
  EXPECT_EQ(prometheus::TextSerializer().Serialize(families), out.str());
}

TEST(TextFormat, Labels) {
  std::vector<MetricFamily> families;
  MetricFamily& family = add_family(&families, MetricType::Gauge, "name", "What it is.", 4);
  add_value(family, {}, 1);
  add_value(family, {{"a", ""}}, 1);
  add_value(family, {{"a", "b"}, {"c", "d"}}, 1);
  add_value(family, {{"a", "quote \" backslash \\ newline \n tab \t é"}}, 1);
  expect_as_the_library(families);
  EXPECT_NE(std::string::npos,
            TextFormat().Serialize(families).find(R"(a="quote \" backslash \\ newline \n tab)"));
}

TEST(TextFormat, Numbers) {
  std::vector<MetricFamily> families;
  add_family(&families, MetricType::Gauge, "gauge", "", 0);
  add_family(&families, MetricType::Counter, "counter_total", "", 0);
  const double values[] = {
      0,        1,         -1,    0.1,     0.00025,          1.0 / 3, 2.934e-06, 1e15,
      1e16,     1e15 - 1,  1e300, -1234.5, 1796091396.67461, 999999,  1e6 + .5,  9007199254740993.0,
      INFINITY, -INFINITY, NAN};
  for (const double value : values) {
    add_value(families[0], {}, value);
    add_value(families[1], {}, value);
  }
  expect_as_the_library(families);
}

TEST(TextFormat, Histograms) {
  std::vector<MetricFamily> families;
  MetricFamily& family = add_family(&families, MetricType::Histogram, "h_seconds", "Times.", 2);
  for (const char* pool : {"1", "2", ""}) {
    auto& series = *pool == '\0' ? add_series(family, {}) : add_series(family, {{"pool_id", pool}});
    series.histogram.sample_count = 18446744073709551615u;
    series.histogram.sample_sum = 0.25;
    series.histogram.bucket = {{1, 0.0001}, {2, 1}, {3, *pool == '1' ? 2.5 : 7.5}, {4, INFINITY}};
  }
  expect_as_the_library(families);
}

TEST(TextFormat, Nothing) { expect_as_the_library({}); }

}  // namespace
}  // namespace oxpool::daemon::http
