// Which handler answers which path.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemon/http/message.h"
#include "daemon/http/parameters.h"

namespace oxpool::daemon::http {

// Thread safety: none once requests are handled; routes are added before.
class Router {
 public:
  // Runs on the HTTP thread, so it is short and never waits. May throw RequestError.
  using Handler = std::function<Response(const Parameters&)>;

  // `parameters`: the names that the path takes.
  void add(const std::string& path, std::vector<std::string> parameters, Handler handler);
  // For probes, which nobody wants to fail because of what stands behind the '?'.
  void add_ignoring_parameters(const std::string& path, std::function<Response()> handler);
  // The same for what nobody types: it is not among the known paths that a 404 lists.
  void add_unlisted(const std::string& path, std::function<Response()> handler);

  // Always an answer: 404 with the known paths for a path that nobody added, 400 for bad
  // parameters, 500 when the handler failed.
  Response handle(const Request& request) const;

 private:
  struct Route {
    std::function<Response(const std::string& query)> answer;
    bool listed = true;
  };
  std::map<std::string, Route> routes_;
};

}  // namespace oxpool::daemon::http
