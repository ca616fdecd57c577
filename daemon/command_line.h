// What is said when oxpoold is started.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.h"

namespace oxpool::daemon {

struct CommandLine {
  std::string config_file;                 // empty = the default one, if it is there
  std::optional<std::string> runtime_dir;  // from --runtime-dir, else from OXPOOL_RUNTIME_DIR
  std::optional<std::string> http;         // checked: ADDR:PORT or "off"
  std::optional<std::string> admin;        // checked: unix:PATH, ADDR:PORT or "off"
  std::optional<std::string> log_level;    // checked
  bool allow_disk = false;
  bool check_config = false;
  bool reset = false;

  // What is said here stands above the file.
  void apply_to(Config* config) const;
};

// Returns an exit code when there is nothing more to do: 0 after --help or --version, 2 after a
// usage error, which was written to standard error.
std::optional<int> parse_command_line(int argc, const char* const* argv, CommandLine* result);

}  // namespace oxpool::daemon
