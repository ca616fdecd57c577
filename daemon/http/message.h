// A request and its answer, as handlers see them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace oxpool::daemon::http {

// Of a GET or HEAD; nothing else gets so far.
struct Request {
  std::string path;   // begins with '/', without the query
  std::string query;  // without the '?'
};

// Every response is sent with Cache-Control: no-store. For a HEAD the body is left out.
struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<const char*, const char*>> headers = {};  // more: name and value
};

}  // namespace oxpool::daemon::http
