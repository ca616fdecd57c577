#include "daemon/config.h"

#include <algorithm>

namespace oxpool::daemon {

std::string Config::file_for_people() const {
  return file.empty() ? "/etc/oxpool/oxpoold.toml" : file;
}

bool is_namespace_name(const std::string& name) {
  if (name.empty() || name.size() >= shm::kNamespaceBytes || name == "." || name == "..") {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::vector<std::string> keep_fixed_settings(const Config& old, Config* fresh) {
  std::vector<std::string> kept;
  const auto keep = [&](const char* key, auto& now, const auto& before) {
    if (now == before) return;
    now = before;
    kept.emplace_back(key);
  };
  keep("runtime_dir", fresh->runtime_dir, old.runtime_dir);
  keep("allow_disk", fresh->allow_disk, old.allow_disk);
  keep("http", fresh->http, old.http);
  keep("access.socket_mode", fresh->socket_mode, old.socket_mode);
  keep("access.socket_group", fresh->socket_group, old.socket_group);
  keep("admin", fresh->admin, old.admin);
  keep("admin_tls", fresh->admin_tls, old.admin_tls);
  keep("access.admin_mode", fresh->admin_mode, old.admin_mode);
  keep("access.admin_group", fresh->admin_group, old.admin_group);
  return kept;
}

}  // namespace oxpool::daemon
