// Metrics of each mutex.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "daemon/host_report.h"

namespace oxpool::daemon::http {

// Appends the families that have one series a mutex, with the label mutex_id first. README.md in
// this folder lists them.
void add_mutex_metrics(const HostReport& report, std::vector<prometheus::MetricFamily>* families);

}  // namespace oxpool::daemon::http
