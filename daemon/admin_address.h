// Where the admin interface listens, as people write it.
#pragma once

#include <optional>
#include <string>

#include "daemon/listen_address.h"

namespace oxpool::daemon {

// One of the two, or neither: then it is off. An empty path is RUNTIME_DIR/admin.sock.
struct AdminAddress {
  std::optional<std::string> socket = "";
  std::optional<ListenAddress> tcp;

  bool off() const { return !socket && !tcp; }
  friend bool operator==(const AdminAddress&, const AdminAddress&) = default;
};

// "unix:/path/to/socket", "127.0.0.1:9465" or "off". Nothing when it is none of these.
std::optional<AdminAddress> parse_admin_address(const std::string& text);

inline constexpr const char* kAdminAddressForm =
    "unix: with an absolute path of at most 107 bytes, or ADDR:PORT with a numeric address, or off";

// Files of the certificates that TCP needs, in PEM. Empty = not given.
struct AdminTls {
  std::string certificate;  // the daemon's own, with those that lead to its CA
  std::string key;
  std::string client_ca;  // who signs clients

  bool complete() const { return !certificate.empty() && !key.empty() && !client_ca.empty(); }
  friend bool operator==(const AdminTls&, const AdminTls&) = default;
};

}  // namespace oxpool::daemon
