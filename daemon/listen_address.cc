#include "daemon/listen_address.h"

#include <arpa/inet.h>

#include <charconv>

namespace oxpool::daemon {

namespace {

bool is_numeric(int family, const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(family, host.c_str(), address) == 1;
}

std::optional<uint16_t> parse_port(const std::string& text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && stop == end ? std::optional(port) : std::nullopt;
}

}  // namespace

std::string ListenAddress::text() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<ListenAddress> parse_listen_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    const std::string inner = host.substr(1, host.size() - 2);
    if (!is_numeric(AF_INET6, inner)) return std::nullopt;
    return ListenAddress{inner, *port};
  }
  if (!is_numeric(AF_INET, host)) return std::nullopt;
  return ListenAddress{host, *port};
}

}  // namespace oxpool::daemon
