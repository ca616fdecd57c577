// Whether the daemon is alive, and whether it is ready.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/http/router.h"

namespace oxpool::daemon::http {

// One sentence for each reason not to be ready; empty = ready.
using Troubles = std::function<std::vector<std::string>()>;

// Adds /healthz (the loop runs, or nobody would answer) and /readyz (200, or 503 and the
// sentences).
void add_health(Router* router, Troubles troubles);

}  // namespace oxpool::daemon::http
