#include "daemon/ctl/histogram.h"

#include <gtest/gtest.h>

namespace oxpool::ctl {
namespace {

v1::Histogram histogram_of(std::initializer_list<uint64_t> counts) {
  v1::Histogram histogram;
  for (const uint64_t bound_us : {100, 1000, 10'000}) histogram.add_bounds_us(bound_us);
  for (const uint64_t count : counts) histogram.add_counts(count);
  return histogram;
}

TEST(Histogram, PercentilesAreBounds) {
  const v1::Histogram histogram = histogram_of({50, 40, 9, 1});
  EXPECT_EQ(total(histogram), 100u);
  EXPECT_EQ(percentile_us(histogram, 0.5), 100u);
  EXPECT_EQ(percentile_us(histogram, 0.51), 1000u);
  EXPECT_EQ(percentile_us(histogram, 0.99), 10'000u);
  EXPECT_EQ(percentile_us(histogram, 1.0), std::nullopt);
  EXPECT_EQ(percentile_text(histogram, 0.5), "≤ 100us");
  EXPECT_EQ(percentile_text(histogram, 1.0), "> 10ms");
}

TEST(Histogram, NothingCountedHasNone) {
  EXPECT_EQ(percentile_us(histogram_of({0, 0, 0, 0}), 0.5), std::nullopt);
  EXPECT_EQ(percentile_text(histogram_of({0, 0, 0, 0}), 0.5), "-");
  EXPECT_EQ(percentile_text(v1::Histogram(), 0.5), "-");
}

}  // namespace
}  // namespace oxpool::ctl
