// Where the HTTP listener listens, as people write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace oxpool::daemon {

struct ListenAddress {
  std::string host;  // a numeric IPv4 or IPv6 address
  uint16_t port = 0;

  std::string text() const;
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// "127.0.0.1:9464" or "[::1]:9464"; port 0 = any free one. Nothing when it is neither.
std::optional<ListenAddress> parse_listen_address(const std::string& text);

// What the two functions' callers tell people that they take.
inline constexpr const char* kListenAddressForm =
    "ADDR:PORT with a numeric address, such as 127.0.0.1:9464 or [::1]:9464, or off";

}  // namespace oxpool::daemon
