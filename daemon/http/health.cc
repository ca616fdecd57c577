#include "daemon/http/health.h"

namespace oxpool::daemon::http {

void add_health(Router* router, Troubles troubles) {
  router->add("/healthz", [](const Request&) { return Response{.body = "alive\n"}; });
  router->add("/readyz", [troubles = std::move(troubles)](const Request&) {
    const auto sentences = troubles();
    if (sentences.empty()) return Response{.body = "ready\n"};
    std::string body;
    for (const std::string& sentence : sentences) body += sentence + "\n";
    return Response{.status = 503, .body = body};
  });
}

}  // namespace oxpool::daemon::http
