// Answers in JSON.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "daemon/http/message.h"

namespace oxpool::daemon::http {

namespace json = boost::json;

Response json_response(const json::value& value);

// {"error":"…"} with the status.
Response error_response(unsigned status, std::string_view sentence);

// A name of any bytes, as far as JSON can have it.
json::string json_text(std::string_view bytes);

// {"PID/LANE":N,…}
json::object json_numbers(const std::map<std::string, uint32_t>& numbers);

}  // namespace oxpool::daemon::http
