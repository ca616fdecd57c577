// What stands behind the '?' of a request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oxpool::daemon::http {

// Pairs NAME=VALUE between '&', percent-encoded, '+' for a space; a name alone has an empty value.
// What is misspelt is never guessed at: everything here throws RequestError with status 400 and a
// sentence that names parameter and value.
class Parameters {
 public:
  Parameters() = default;
  // Refuses names that are not among `known`, a name given twice, and bad encoding.
  static Parameters parse(std::string_view query, const std::vector<std::string>& known);

  // Nothing when it was not given.
  std::optional<std::string> text(const std::string& name) const;
  // Digits only, from `least` to `most`.
  std::optional<uint64_t> number(const std::string& name, uint64_t least, uint64_t most) const;
  // Refuses also that it was not given.
  uint64_t required_number(const std::string& name, uint64_t least, uint64_t most) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace oxpool::daemon::http
