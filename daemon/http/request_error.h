// A request that can not be answered as asked.
#pragma once

#include <stdexcept>
#include <string>

namespace oxpool::daemon::http {

// Thrown by what handles a request; the router makes it {"error": what()} with the status.
class RequestError : public std::runtime_error {
 public:
  RequestError(unsigned status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  unsigned status() const { return status_; }

 private:
  unsigned status_;
};

}  // namespace oxpool::daemon::http
