// What GetServerInfo tells.
#pragma once

#include "daemon/admin/facts.h"
#include "daemon/cpu_quota.h"
#include "daemon/segment_store.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

// `at_start`: the throttling that was there before the daemon was. On the daemon's main thread.
void fill_server_info(const SegmentStore& segments, const Facts& facts,
                      const std::optional<CpuThrottling>& at_start,
                      v1::GetServerInfoResponse* response);

}  // namespace oxpool::daemon::admin
