// Making a corrupted mutex usable again.
#include <string>

#include "daemon/admin/changes.h"
#include "daemon/admin/messages.h"
#include "daemon/event.h"
#include "daemon/log.h"
#include "shm/clock.h"
#include "shm/mutex_inspection.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

Changes::Step Changes::reset(const v1::ResetMutexRequest& request,
                             v1::ResetMutexResponse* response) {
  return [this, &request, response](bool) -> std::optional<Status> {
    Choice choice;
    if (Status status = choose_one(ObjectChoice(request.mutex()), &choice); !status.ok()) {
      return status;
    }
    NamespaceSegment* segment = segments_.find(choice.namespace_name);
    shm::MutexRecord* mutex =
        segment == nullptr ? nullptr : shm::find_live_mutex(segment->view(), choice.id);
    if (mutex == nullptr) return removed(choice);
    if (shm::is_removed(*mutex)) {
      return Status(StatusCode::FAILED_PRECONDITION,
                    "mutex " + name_for_people(*mutex) +
                        " can not be reset: its name was removed, and only workers that have not "
                        "noticed still hold on to it; the next one to be created is another");
    }
    const bool was_corrupted = shm::reset_mutex(*mutex);
    response->set_was_corrupted(was_corrupted);
    const int64_t now_ns = shm::monotonic_ns();
    fill(report_mutex(segment->name(), segment->view(), *mutex, now_ns), now_ns,
         response->mutable_mutex());
    if (was_corrupted) {
      log_event(Level::kInfo, "mutex reset by operator",
                {{"namespace", choice.namespace_name},
                 {"mutex", shm::mutex_name(*mutex)},
                 {"id", choice.id}});
    }
    return Status::OK;
  };
}

}  // namespace oxpool::daemon::admin
