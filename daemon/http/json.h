// What every path answers when it can not answer otherwise.
#pragma once

#include <string_view>

#include "daemon/http/message.h"

namespace oxpool::daemon::http {

// {"error":"…"} with the status.
Response error_response(unsigned status, std::string_view sentence);

}  // namespace oxpool::daemon::http
