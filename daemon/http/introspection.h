// /__ox_shared/…: the objects that PHP shares, one by one.
#pragma once

#include <atomic>

#include "daemon/http/router.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon::http {

// Adds summary, entries, entry, preview and types. `segments` must outlive the router's use, and so
// must `preview_allowed`: whether previews are switched on at the moment.
void add_introspection(Router* router, const SegmentStore& segments,
                       const std::atomic<bool>& preview_allowed);

}  // namespace oxpool::daemon::http
