#include "daemon/admin/change_log.h"

#include <utility>

#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

void log_change(const char* event, const Choice& choice, const shm::PoolRecord& pool,
                Fields details) {
  Fields fields = {
      {"namespace", choice.namespace_name}, {"pool", shm::pool_name(pool)}, {"id", choice.id}};
  fields.insert(fields.end(), details.begin(), details.end());
  log_event(Level::kInfo, event, std::move(fields));
}

}  // namespace oxpool::daemon::admin
