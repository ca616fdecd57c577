// The metrics that each pool has.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "daemon/host_report.h"

namespace oxpool::daemon::http {

// Appends them; every pool has every series, from its creation.
void add_pool_metrics(const HostReport& report, std::vector<prometheus::MetricFamily>* families);

}  // namespace oxpool::daemon::http
