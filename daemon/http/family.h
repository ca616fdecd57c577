// Making metric families.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shm/clock.h"

namespace oxpool::daemon::http {

inline constexpr prometheus::MetricType kGauge = prometheus::MetricType::Gauge;
inline constexpr prometheus::MetricType kCounter = prometheus::MetricType::Counter;

// The unit in which Prometheus has all times.
inline double seconds(int64_t nanos) {
  return static_cast<double>(nanos) / static_cast<double>(shm::kNanosPerSecond);
}

// Appends a family; `series` is how many it is going to have.
inline prometheus::MetricFamily& add_family(std::vector<prometheus::MetricFamily>* families,
                                            prometheus::MetricType type, std::string_view name,
                                            std::string_view help, size_t series) {
  prometheus::MetricFamily& family = families->emplace_back();
  family.name = name;
  family.help = help;
  family.type = type;
  family.metric.reserve(series);
  return family;
}

using LabelPairs = std::initializer_list<std::pair<const char*, std::string_view>>;

// Appends a series with its labels in that order. Values are UTF-8 already.
inline prometheus::ClientMetric& add_series(prometheus::MetricFamily& family, LabelPairs labels) {
  prometheus::ClientMetric& series = family.metric.emplace_back();
  series.label.reserve(labels.size());
  for (const auto& [name, value] : labels) series.label.push_back({name, std::string(value)});
  return series;
}

// The same for a counter or gauge with its value.
inline void add_value(prometheus::MetricFamily& family, LabelPairs labels, double value) {
  prometheus::ClientMetric& series = add_series(family, labels);
  series.counter.value = value;
  series.gauge.value = value;
}

}  // namespace oxpool::daemon::http
