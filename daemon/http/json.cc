#include "daemon/http/json.h"

#include <boost/json/src.hpp>  // the library itself: here and nowhere else

#include "daemon/utf8.h"

namespace oxpool::daemon::http {

namespace {
constexpr const char* kContentType = "application/json";
}

Response json_response(const json::value& value) {
  return {.content_type = kContentType, .body = json::serialize(value) + "\n"};
}

Response error_response(unsigned status, std::string_view sentence) {
  const json::object body{{"error", json_text(sentence)}};
  return {status, kContentType, json::serialize(body) + "\n"};
}

json::string json_text(std::string_view bytes) {
  const std::string text = as_utf8(bytes);
  return json::string(text.data(), text.size());
}

json::object json_numbers(const std::map<std::string, uint32_t>& numbers) {
  json::object object;
  for (const auto& [name, number] : numbers) object[name] = number;
  return object;
}

}  // namespace oxpool::daemon::http
