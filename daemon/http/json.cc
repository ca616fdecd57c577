#include "daemon/http/json.h"

#include <boost/json/src.hpp>  // the library itself: here and nowhere else

namespace oxpool::daemon::http {

Response error_response(unsigned status, std::string_view sentence) {
  const boost::json::object body{{"error", sentence}};
  return {status, "application/json", boost::json::serialize(body) + "\n"};
}

}  // namespace oxpool::daemon::http
