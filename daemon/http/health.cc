#include "daemon/http/health.h"

#include <string>
#include <vector>

#include "shm/clock.h"

namespace oxpool::daemon::http {

namespace {

// Longer than any burst of work or a CPU quota holds it up, shorter than a watchdog's patience.
constexpr int64_t kStoppedAfterNs = 5 * shm::kNanosPerSecond;

std::vector<std::string> why_not_alive(const Heartbeat& heartbeat) {
  const int64_t overdue_ns = heartbeat.overdue_ns(shm::monotonic_ns());
  if (overdue_ns < kStoppedAfterNs) return {};
  return {"the main loop of oxpoold has not run for " +
          std::to_string(overdue_ns / shm::kNanosPerSecond) +
          " s; it is stopped, starved of CPU, or hangs"};
}

Response answer(const char* word, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {.body = std::string(word) + "\n"};
  std::string body;
  for (const std::string& sentence : sentences) body += sentence + "\n";
  return {.status = 503, .body = std::move(body)};
}

}  // namespace

void add_health(Router* router, const Heartbeat& heartbeat) {
  router->add_ignoring_parameters(
      "/healthz", [&heartbeat] { return answer("alive", why_not_alive(heartbeat)); });
  router->add_ignoring_parameters("/readyz", [&heartbeat] {
    std::vector<std::string> sentences = why_not_alive(heartbeat);
    for (std::string& trouble : heartbeat.state().troubles) sentences.push_back(std::move(trouble));
    return answer("ready", sentences);
  });
}

}  // namespace oxpool::daemon::http
