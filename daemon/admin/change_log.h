// Changes by operators as events of the daemon's log.
#pragma once

#include "daemon/admin/object_choice.h"
#include "daemon/event.h"

namespace oxpool::daemon::admin {

// The event with namespace, pool and id, and then the details.
void log_change(const char* event, const Choice& choice, const shm::PoolRecord& pool,
                Fields details);

}  // namespace oxpool::daemon::admin
