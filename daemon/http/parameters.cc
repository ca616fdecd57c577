#include "daemon/http/parameters.h"

#include <algorithm>
#include <charconv>

#include "daemon/http/request_error.h"
#include "daemon/log.h"

namespace oxpool::daemon::http {

namespace {

constexpr size_t kShown = 64;  // bytes of a name or value in a sentence

[[noreturn]] void refuse(const std::string& sentence) { throw RequestError(400, sentence); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      refuse("the query has " + quote(text, kShown) +
             "; behind a % it takes two hexadecimal digits");
    }
    bytes += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return bytes;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Parameters Parameters::parse(std::string_view query, const std::vector<std::string>& known) {
  Parameters parameters;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string name = decode(pair.substr(0, equals));
    std::string value =
        equals == std::string_view::npos ? std::string() : decode(pair.substr(equals + 1));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse("parameter " + quote(name, kShown) + " (value " + quote(value, kShown) +
             ") is not known here; " +
             (known.empty() ? "this path takes none" : "this path takes " + listed(known)));
    }
    const auto [before, fresh] = parameters.values_.emplace(name, std::move(value));
    if (!fresh) {
      refuse("parameter " + name + " is given twice, first as " + quote(before->second, kShown));
    }
  }
  return parameters;
}

std::optional<std::string> Parameters::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return {};
  return found->second;
}

std::optional<uint64_t> Parameters::number(const std::string& name, uint64_t least,
                                           uint64_t most) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return {};
  const std::string& text = found->second;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < least || value > most) {
    refuse("parameter " + name + " is " + quote(text, kShown) + "; it takes a number from " +
           std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

uint64_t Parameters::required_number(const std::string& name, uint64_t least, uint64_t most) const {
  if (const auto value = number(name, least, most)) return *value;
  refuse("parameter " + name + " is missing; it takes a number from " + std::to_string(least) +
         " to " + std::to_string(most));
}

}  // namespace oxpool::daemon::http
