#include "daemon/admin_address.h"

#include <sys/un.h>

namespace oxpool::daemon {

std::optional<AdminAddress> parse_admin_address(const std::string& text) {
  static const std::string kScheme = "unix:";
  constexpr size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (text == "off") return AdminAddress{std::nullopt, std::nullopt};
  if (text.compare(0, kScheme.size(), kScheme) == 0) {
    const std::string path = text.substr(kScheme.size());
    if (path.empty() || path[0] != '/' || path.size() > kLongest) return std::nullopt;
    return AdminAddress{path, std::nullopt};
  }
  const auto tcp = parse_listen_address(text);
  if (!tcp) return std::nullopt;
  return AdminAddress{std::nullopt, tcp};
}

}  // namespace oxpool::daemon
