// Why the daemon does not start, or does not take a new configuration.
#pragma once

#include <stdexcept>
#include <string>

namespace oxpool::daemon {

// what() is one sentence for the operator: the thing, its value, and the way out.
class Refused : public std::runtime_error {
 public:
  explicit Refused(const std::string& sentence) : std::runtime_error(sentence) {}
};

}  // namespace oxpool::daemon
