#include "daemon/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "daemon/config_file.h"
#include "daemon/log.h"
#include "shm/layout.h"

namespace oxpool::daemon {

namespace {

constexpr int kUsageError = 2;

std::string version_text() {
  return "oxpoold " OXPOOL_VERSION " (segment layout " + std::to_string(shm::kAbiMajor) + "." +
         std::to_string(shm::kAbiMinor) + ")";
}

std::string check_http(const std::string& text) {
  if (text == "off" || parse_listen_address(text)) return {};
  return text + " is not " + kListenAddressForm;
}

std::string check_admin(const std::string& text) {
  return parse_admin_address(text) ? "" : text + " is not " + kAdminAddressForm;
}

std::string check_not_empty(const std::string& text) {
  return text.empty() ? "an empty path is no path" : "";
}

}  // namespace

void CommandLine::apply_to(Config* config) const {
  if (runtime_dir) config->runtime_dir = *runtime_dir;
  if (allow_disk) config->allow_disk = true;
  if (http) config->http = parse_listen_address(*http);  // "off" is none
  if (admin) config->admin = *parse_admin_address(*admin);
  if (log_level) config->log_level = *log_level;
}

std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine* result) {
  CLI::App app("The oxpool daemon: attaches workers, buries the dead, closes what idles too long.",
               "oxpoold");
  app.add_option(
         "--config", result->config_file,
         "configuration file (default: " + std::string(kDefaultConfigFile) + " when it exists)")
      ->type_name("FILE")
      ->check(check_not_empty);
  app.add_option("--runtime-dir", result->runtime_dir,
                 "directory on tmpfs for segments and sockets (default: /run/oxpool; also from "
                 "the environment: OXPOOL_RUNTIME_DIR)")
      ->type_name("DIR")
      ->check(check_not_empty);
  app.add_option("--http", result->http,
                 "where to serve /healthz and /readyz (default: 127.0.0.1:9464)")
      ->type_name("ADDR:PORT|off")
      ->check(check_http);
  app.add_option("--admin", result->admin,
                 "where to serve oxpoolctl: a socket, or TCP with TLS and client certificates "
                 "(default: admin.sock in the runtime directory)")
      ->type_name("unix:PATH|ADDR:PORT|off")
      ->check(check_admin);
  app.add_option("--log-level", result->log_level, "how much to log (default: info)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember(log_levels()));
  app.add_flag("--check-config", result->check_config,
               "read the configuration, say what is wrong with it, and end");
  app.add_flag("--allow-disk", result->allow_disk,
               "take a runtime directory that is not on tmpfs (slower, and it wears the disk)");
  app.add_flag("--reset", result->reset,
               "remove all segments first; refused while a living worker is attached to one");
  app.set_version_flag("--version", version_text());

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    return app.exit(end) == 0 ? 0 : kUsageError;
  }
  const char* from_environment = std::getenv("OXPOOL_RUNTIME_DIR");
  if (!result->runtime_dir && from_environment != nullptr && *from_environment != '\0') {
    result->runtime_dir = from_environment;
  }
  return std::nullopt;
}

}  // namespace oxpool::daemon
