// Which handler answers which path.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "daemon/http/message.h"

namespace oxpool::daemon::http {

// Thread safety: none once requests are handled; routes are added before.
class Router {
 public:
  // Handlers run on the loop's thread, so they are short and never wait.
  using Handler = std::function<Response(const Request&)>;

  void add(const std::string& path, Handler handler) { handlers_[path] = std::move(handler); }

  // 404 with the known paths for a path that nobody added.
  Response handle(const Request& request) const;

 private:
  std::map<std::string, Handler> handlers_;
};

}  // namespace oxpool::daemon::http
