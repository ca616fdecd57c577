#include "daemon/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "daemon/bus_guard.h"
#include "daemon/log.h"
#include "daemon/refused.h"
#include "daemon/table_reader.h"
#include "daemon/unique_fd.h"

namespace oxpool::daemon {

namespace {

void read_runtime_dir(TableReader& top, Config* config) {
  top.text("runtime_dir", &config->runtime_dir);
  if (config->runtime_dir.empty()) {
    top.refuse(*top.find("runtime_dir"), "runtime_dir is empty; it takes a directory's path");
  }
}

void read_http(TableReader& top, Config* config) {
  if (top.find("http") == nullptr) return;
  std::string text;
  top.text("http", &text);
  if (text == "off") {
    config->http.reset();
    return;
  }
  const auto address = parse_listen_address(text);
  if (!address) {
    top.refuse(*top.find("http"),
               "http is " + quote(text) + "; it takes " + std::string(kListenAddressForm));
  }
  config->http = *address;
}

void read_log_level(TableReader& top, Config* config) {
  top.text("log_level", &config->log_level);
  const auto& levels = log_levels();
  if (std::find(levels.begin(), levels.end(), config->log_level) != levels.end()) return;
  top.refuse(*top.find("log_level"),
             "log_level is " + quote(config->log_level) + "; it takes one of " + joined(levels));
}

void read_log_format(TableReader& top, Config* config) {
  top.text("log_format", &config->log_format);
  const auto& formats = log_formats();
  if (std::find(formats.begin(), formats.end(), config->log_format) != formats.end()) return;
  top.refuse(*top.find("log_format"),
             "log_format is " + quote(config->log_format) + "; it takes one of " + joined(formats));
}

// Whether the file has the key.
bool read_mode(TableReader& access, const char* key, mode_t* result) {
  if (access.find(key) == nullptr) return false;
  std::string mode;
  access.text(key, &mode);
  const bool octal =
      !mode.empty() && mode.size() <= 4 && mode.find_first_not_of("01234567") == std::string::npos;
  const unsigned long value = octal ? std::stoul(mode, nullptr, 8) : 0;
  if (!octal || value > 0777) {
    access.refuse(*access.find(key),
                  std::string("access.") + key + " is " + quote(mode) +
                      "; it takes permissions in octal between quotes, such as \"0660\"");
  }
  *result = static_cast<mode_t>(value);
  return true;
}

void read_group(TableReader& access, const char* key, std::optional<gid_t>* result) {
  std::string group;
  access.text(key, &group);
  if (group.empty()) return;
  *result = group_id(group);
  if (!*result) {
    access.refuse(*access.find(key), std::string("access.") + key + " names " + quote(group) +
                                         ", and there is no such group on this system; it takes a "
                                         "group's name or number, or nothing for the daemon's own");
  }
}

void read_socket_permissions(TableReader& access, Config* config) {
  read_mode(access, "socket_mode", &config->socket_mode);
  read_group(access, "socket_group", &config->socket_group);
  read_group(access, "admin_group", &config->admin_group);
  if (!read_mode(access, "admin_mode", &config->admin_mode) && config->admin_group) {
    config->admin_mode = 0660;
  }
}

void read_admin(TableReader& top, Config* config) {
  if (top.find("admin") == nullptr) return;
  std::string text;
  top.text("admin", &text);
  if (text.empty()) return;
  const auto address = parse_admin_address(text);
  if (!address) {
    top.refuse(*top.find("admin"),
               "admin is " + quote(text) + "; it takes " + std::string(kAdminAddressForm));
  }
  config->admin = *address;
}

void read_admin_tls(TableReader tls, AdminTls* result) {
  tls.text("certificate", &result->certificate);
  tls.text("key", &result->key);
  tls.text("client_ca", &result->client_ca);
  tls.finish();
}

void read_namespaces(const std::string& file, TableReader& top, Config* config) {
  const toml::table* table = top.table("namespaces");
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    TableReader all(file, "namespaces", table);
    if (!is_namespace_name(name)) {
      all.refuse(node, "namespaces." + quote(name) +
                           " is no name for a namespace; it takes 1 to 63 letters, digits, '.', "
                           "'_' or '-'");
    }
    TableReader one(file, "namespaces." + name, all.table(name.c_str()));
    one.identities(&config->namespaces[name]);
    one.finish();
  }
}

void read_limits(TableReader limits, Limits* result) {
  constexpr int64_t kHour = 3'600'000;
  constexpr int64_t kMaxRecords = 1 << 19;
  limits.number("namespaces", 1, BusGuard::kCapacity, &result->namespaces);
  limits.number("sessions_per_uid", 1, shm::kMaxLanes, &result->sessions_per_uid);
  limits.number("handshake_timeout_ms", 10, kHour, &result->handshake_timeout);
  limits.number("shutdown_deadline_ms", 0, kHour, &result->shutdown_deadline);
  limits.number("http_connections", 1, 4096, &result->http_connections);
  shm::SegmentSizes& tables = result->tables;
  limits.number("processes", 2, shm::kMaxLanes, &tables.processes);  // one is the daemon's
  limits.number("lanes", 2, shm::kMaxLanes, &tables.lanes);
  limits.number("extra_tickets", 0, kMaxRecords, &tables.extra_tickets);
  limits.number("pools", 1, kMaxRecords, &tables.pools);
  limits.number("seats", 1, kMaxRecords, &tables.seats);
  limits.number("chunks", 1, kMaxRecords, &tables.chunks);
  limits.number("places", 1, kMaxRecords, &tables.places);
  limits.number("mutexes", 1, kMaxRecords, &tables.mutexes);
  limits.number("mutex_seats", 1, kMaxRecords, &tables.mutex_seats);
  limits.number("value_bytes", shm::kUnitBytes, int64_t{kMaxRecords} * shm::kUnitBytes,
                &tables.value_bytes);
  limits.number("value_limit", 0, shm::ValueWord::kMaxBytes, &result->value_limit_bytes);
  limits.finish();
}

// A word, or milliseconds.
void read_patience(TableReader& pools, Config* config) {
  const toml::node* node = pools.find("patience_ms");
  if (node == nullptr) return;
  if (!node->is_string()) {
    constexpr int64_t kMostMs = 3'600'000;
    pools.number("patience_ms", 0, kMostMs, &config->patience_ms);
    return;
  }
  std::string text;
  pools.text("patience_ms", &text);
  if (text != "auto") {
    pools.refuse(*node, "pools.patience_ms is " + quote(text) +
                            "; it takes \"auto\" or a number of milliseconds");
  }
  config->patience_ms = shm::kPatienceAuto;
}

void read_rebalance(TableReader& pools, Config* config) {
  std::string text = "handover";
  pools.text("rebalance", &text);
  if (text != "handover" && text != "strict") {
    pools.refuse(*pools.find("rebalance"),
                 "pools.rebalance is " + quote(text) + "; it takes \"handover\" or \"strict\"");
  }
  config->rebalance = text == "strict" ? shm::Rebalance::kStrict : shm::Rebalance::kHandOver;
  read_patience(pools, config);
}

Config config_from(const std::string& path, const toml::table& file) {
  Config config;
  config.file = path;
  TableReader top(path, "", &file);
  read_runtime_dir(top, &config);
  top.boolean("allow_disk", &config.allow_disk);
  read_http(top, &config);
  read_admin(top, &config);
  read_admin_tls(TableReader(path, "admin_tls", top.table("admin_tls")), &config.admin_tls);
  read_log_level(top, &config);
  read_log_format(top, &config);
  top.boolean("preview", &config.preview);

  TableReader access(path, "access", top.table("access"));
  access.identities(&config.access);
  read_socket_permissions(access, &config);
  access.finish();

  read_namespaces(path, top, &config);
  read_limits(TableReader(path, "limits", top.table("limits")), &config.limits);

  TableReader pools(path, "pools", top.table("pools"));
  constexpr int64_t kYear = 365 * int64_t{86'400};
  pools.number("linger_s", 0, kYear, &config.linger);
  read_rebalance(pools, &config);
  pools.finish();

  top.finish();
  return config;
}

std::string contents_of(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto refuse = [&](int error) {
    throw Refused("configuration " + path + " can not be read: " + std::strerror(error) +
                  "; check the path and its permissions, or name another with --config");
  };
  if (!file.valid()) refuse(errno);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(file.get(), part, sizeof part)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(errno);
    text.append(part, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

Config read_config(const std::string& path) {
  try {
    return config_from(path, toml::parse(contents_of(path), path));
  } catch (const toml::parse_error& error) {
    throw Refused(refusal_at(path, error.source().begin.line, std::string(error.description())));
  }
}

Config read_config_or_defaults(const std::string& path) {
  if (!path.empty()) return read_config(path);
  struct stat status {};
  if (stat(kDefaultConfigFile, &status) != 0 && errno == ENOENT) return {};
  return read_config(kDefaultConfigFile);
}

}  // namespace oxpool::daemon
