// Why something could not be done.
#pragma once

#include <string>

namespace oxpool::ctl {

// Falsy: it could.
struct Failure {
  std::string code;      // as gRPC names it: NOT_FOUND, UNAVAILABLE …
  std::string sentence;  // what, which value, and the way out

  explicit operator bool() const { return !code.empty(); }
};

}  // namespace oxpool::ctl
