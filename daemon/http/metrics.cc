#include "daemon/http/metrics.h"

#include "daemon/host_report.h"
#include "daemon/http/host_metrics.h"
#include "daemon/http/mutex_metrics.h"
#include "daemon/http/pool_metrics.h"
#include "daemon/http/text_format.h"

namespace oxpool::daemon::http {

std::vector<prometheus::MetricFamily> HostCollectable::Collect() const {
  const HostReport report = report_host(segments_);
  std::vector<prometheus::MetricFamily> families;
  add_pool_metrics(report, &families);
  add_mutex_metrics(report, &families);
  add_host_metrics(report, &families);
  add_namespace_metrics(report, &families);
  add_daemon_metrics(report, heartbeat_, &families);
  return families;
}

void add_metrics(Router* router, const SegmentStore& segments, const Heartbeat& heartbeat) {
  const HostCollectable metrics(segments, heartbeat);
  router->add("/metrics", {}, [metrics](const Parameters&) {
    return Response{.content_type = TextFormat::kContentType,
                    .body = TextFormat().Serialize(metrics.Collect())};
  });
}

}  // namespace oxpool::daemon::http
