// The metrics of the host as a whole, of each namespace, and of the daemon itself.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "daemon/heartbeat.h"
#include "daemon/host_report.h"

namespace oxpool::daemon::http {

void add_host_metrics(const HostReport& report, std::vector<prometheus::MetricFamily>* families);
void add_namespace_metrics(const HostReport& report,
                           std::vector<prometheus::MetricFamily>* families);
void add_daemon_metrics(const HostReport& report, const Heartbeat& heartbeat,
                        std::vector<prometheus::MetricFamily>* families);

}  // namespace oxpool::daemon::http
