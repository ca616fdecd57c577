// /metrics.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "daemon/heartbeat.h"
#include "daemon/http/router.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon::http {

// Everything that is measured, read from the segments when it is asked for; nothing is kept.
// README.md has the table of all metrics.
//
// Thread safety: any thread.
class HostCollectable : public prometheus::Collectable {
 public:
  // Both must outlive the object.
  HostCollectable(const SegmentStore& segments, const Heartbeat& heartbeat)
      : segments_(segments), heartbeat_(heartbeat) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const SegmentStore& segments_;
  const Heartbeat& heartbeat_;
};

// Adds /metrics; what it gets must outlive the router's use.
void add_metrics(Router* router, const SegmentStore& segments, const Heartbeat& heartbeat);

}  // namespace oxpool::daemon::http
