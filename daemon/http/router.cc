#include "daemon/http/router.h"

#include "daemon/http/json.h"

namespace oxpool::daemon::http {

Response Router::handle(const Request& request) const {
  const auto found = handlers_.find(request.path);
  if (found != handlers_.end()) return found->second(request);
  std::string known;
  for (const auto& [path, handler] : handlers_) known += (known.empty() ? "" : ", ") + path;
  return error_response(404, "there is nothing at this path; there is " + known);
}

}  // namespace oxpool::daemon::http
