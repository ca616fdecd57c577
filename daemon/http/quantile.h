// Percentiles out of histograms.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oxpool::daemon::http {

// The value below which the `share` (0 to 1) of the observations lies, estimated as Prometheus'
// histogram_quantile() does: evenly spread within a bucket, the highest bound for what is beyond
// it. `counts` has one more than there are bounds, each its own bucket's. 0 without observations.
double quantile(double share, const int64_t* bounds, size_t bound_count, const uint64_t* counts);

template <size_t kBounds>
double quantile(double share, const int64_t (&bounds)[kBounds],
                const uint64_t (&counts)[kBounds + 1]) {
  return quantile(share, bounds, kBounds, counts);
}

}  // namespace oxpool::daemon::http
