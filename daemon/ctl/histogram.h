// Percentiles of a histogram.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

uint64_t total(const v1::Histogram& histogram);

// In microseconds: a bound that at least that share of what was counted is below or at. Nothing
// when nothing was counted, or it is above the last bound.
std::optional<uint64_t> percentile_us(const v1::Histogram& histogram, double share);

// "≤ 25ms", "> 10.0s", or "-" when nothing was counted.
std::string percentile_text(const v1::Histogram& histogram, double share);

}  // namespace oxpool::ctl
