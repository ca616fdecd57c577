#include "daemon/ctl/histogram.h"

#include <cmath>

#include "daemon/ctl/text.h"

namespace oxpool::ctl {

uint64_t total(const v1::Histogram& histogram) {
  uint64_t sum = 0;
  for (const uint64_t count : histogram.counts()) sum += count;
  return sum;
}

std::optional<uint64_t> percentile_us(const v1::Histogram& histogram, double share) {
  const uint64_t all = total(histogram);
  if (all == 0) return std::nullopt;
  const auto wanted = static_cast<uint64_t>(std::ceil(static_cast<double>(all) * share));
  uint64_t seen = 0;
  for (int i = 0; i < histogram.bounds_us_size() && i < histogram.counts_size(); ++i) {
    seen += histogram.counts(i);
    if (seen >= wanted) return histogram.bounds_us(i);
  }
  return std::nullopt;
}

std::string percentile_text(const v1::Histogram& histogram, double share) {
  if (total(histogram) == 0 || histogram.bounds_us().empty()) return "-";
  if (const auto bound = percentile_us(histogram, share)) return "≤ " + duration_us_text(*bound);
  return "> " + duration_us_text(*histogram.bounds_us().rbegin());
}

}  // namespace oxpool::ctl
