#include "daemon/admin/grpc_log.h"

#include <grpc/support/log.h>

#include <mutex>
#include <string>

#include "daemon/event.h"
#include "daemon/repeat_limit.h"
#include "shm/clock.h"

namespace oxpool::daemon::admin {

namespace {

void log(gpr_log_func_args* args) {
  static std::mutex mutex;
  static RepeatLimit limit;
  if (args->severity != GPR_LOG_SEVERITY_ERROR) {
    return log_event(Level::kDebug, "grpc", {{"message", args->message, 1000}});
  }
  const std::lock_guard<std::mutex> lock(mutex);
  const auto decision =
      limit.note(std::string(args->file) + std::to_string(args->line), shm::monotonic_ns());
  if (!decision.log) return;
  log_event(Level::kWarning, "admin connection failed",
            {{"reason", args->message, 1000}, {"held_back", decision.held_back}});
}

}  // namespace

void take_grpc_log() {
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(log);
}

}  // namespace oxpool::daemon::admin
