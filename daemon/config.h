// What an operator can set. deploy/oxpoold.toml shows every key; config_file.h reads it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/admin_address.h"
#include "daemon/identity_list.h"
#include "daemon/listen_address.h"
#include "shm/segment.h"

namespace oxpool::daemon {

struct Limits {
  uint32_t namespaces = 256;
  uint32_t sessions_per_uid = 2048;
  std::chrono::milliseconds handshake_timeout{2000};
  std::chrono::milliseconds shutdown_deadline{5000};
  uint32_t http_connections = 64;
  shm::SegmentSizes tables;  // of segments that are made from now on
  uint32_t value_limit_bytes = shm::kDefaultValueLimitBytes;  // the longest value of a mutex
};

struct Config {
  std::string file;  // where it was read from; empty = defaults only

  std::string runtime_dir = "/run/oxpool";
  bool allow_disk = false;
  std::optional<ListenAddress> http = ListenAddress{"127.0.0.1", 9464};  // nothing = off
  AdminAddress admin;
  AdminTls admin_tls;
  std::string log_level = "info";
  std::string log_format = "text";
  bool preview = true;  // whether /__ox_shared/preview answers

  IdentityList access;
  mode_t socket_mode = 0660;
  std::optional<gid_t> socket_group;  // nothing = the daemon's own
  mode_t admin_mode = 0600;           // 0660 when there is an admin_group and no mode is set
  std::optional<gid_t> admin_group;   // nothing = the daemon's own

  std::map<std::string, IdentityList> namespaces;
  Limits limits;
  std::chrono::seconds linger{600};
  // Of pools that do not say.
  shm::Rebalance rebalance = shm::Rebalance::kHandOver;
  uint32_t patience_ms = shm::kPatienceAuto;

  // The file to name to people who should change something.
  std::string file_for_people() const;
};

// Namespaces are file names: 1–63 of A–Z a–z 0–9 . _ -, and neither "." nor "..".
bool is_namespace_name(const std::string& name);

// Gives `fresh` the old values of what can not change while the daemon runs, and returns the keys
// of those that were to change.
std::vector<std::string> keep_fixed_settings(const Config& old, Config* fresh);

}  // namespace oxpool::daemon
