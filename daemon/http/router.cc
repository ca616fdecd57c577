#include "daemon/http/router.h"

#include <exception>

#include "daemon/http/json.h"
#include "daemon/http/request_error.h"

namespace oxpool::daemon::http {

void Router::add(const std::string& path, std::vector<std::string> parameters, Handler handler) {
  routes_[path] = {
      [parameters = std::move(parameters), handler = std::move(handler)](const std::string& query) {
        return handler(Parameters::parse(query, parameters));
      }};
}

void Router::add_ignoring_parameters(const std::string& path, std::function<Response()> handler) {
  routes_[path] = {[handler = std::move(handler)](const std::string&) { return handler(); }};
}

void Router::add_unlisted(const std::string& path, std::function<Response()> handler) {
  add_ignoring_parameters(path, std::move(handler));
  routes_[path].listed = false;
}

Response Router::handle(const Request& request) const {
  const auto found = routes_.find(request.path);
  if (found == routes_.end()) {
    std::string known;
    for (const auto& [path, route] : routes_) {
      if (route.listed) known += (known.empty() ? "" : ", ") + path;
    }
    return error_response(404, "there is nothing at this path; there is " + known);
  }
  try {
    return found->second.answer(request.query);
  } catch (const RequestError& error) {
    return error_response(error.status(), error.what());
  } catch (const std::exception& error) {  // out of memory, most likely
    return error_response(500, std::string("this could not be answered: ") + error.what());
  }
}

}  // namespace oxpool::daemon::http
