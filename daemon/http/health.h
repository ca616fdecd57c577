// Whether the daemon is alive, and whether it is ready.
#pragma once

#include "daemon/heartbeat.h"
#include "daemon/http/router.h"

namespace oxpool::daemon::http {

// Adds /healthz (the main loop runs) and /readyz (it runs, and nothing is wrong). Both: 200, or 503
// and a sentence for each reason.
void add_health(Router* router, const Heartbeat& heartbeat);

}  // namespace oxpool::daemon::http
