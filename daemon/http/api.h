// /api/v1/…: what the page shows.
#pragma once

#include "daemon/heartbeat.h"
#include "daemon/http/router.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon::http {

// Adds pools, pool, events and server; what it gets must outlive the router's use.
void add_api(Router* router, const SegmentStore& segments, const Heartbeat& heartbeat);

}  // namespace oxpool::daemon::http
