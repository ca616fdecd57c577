#include "daemon/http/quantile.h"

#include <gtest/gtest.h>

namespace oxpool::daemon::http {
namespace {

constexpr int64_t kBounds[] = {10, 20, 40};

TEST(Quantile, LiesWithinItsBucket) {
  const uint64_t counts[] = {50, 50, 0, 0};
  EXPECT_DOUBLE_EQ(5, quantile(0.25, kBounds, counts));
  EXPECT_DOUBLE_EQ(10, quantile(0.5, kBounds, counts));
  EXPECT_DOUBLE_EQ(19.8, quantile(0.99, kBounds, counts));
}

TEST(Quantile, SkipsEmptyBuckets) {
  const uint64_t counts[] = {0, 0, 4, 0};
  EXPECT_DOUBLE_EQ(30, quantile(0.5, kBounds, counts));
  EXPECT_DOUBLE_EQ(20, quantile(0, kBounds, counts));
}

TEST(Quantile, OfWhatIsBeyondTheBoundsIsTheHighestBound) {
  const uint64_t counts[] = {1, 0, 0, 9};
  EXPECT_DOUBLE_EQ(40, quantile(0.5, kBounds, counts));
}

TEST(Quantile, OfNothingIsZero) {
  const uint64_t counts[] = {0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(0, quantile(0.99, kBounds, counts));
}

}  // namespace
}  // namespace oxpool::daemon::http
