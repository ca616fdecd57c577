// Reads a configuration file.
#pragma once

#include <string>

#include "daemon/config.h"

namespace oxpool::daemon {

inline constexpr const char* kDefaultConfigFile = "/etc/oxpool/oxpoold.toml";

// The defaults with what the TOML file sets. Throws Refused, naming file, line and key, for a file
// that can not be read, a key that is not known and a value that is not allowed. Names of users and
// groups are looked up now.
Config read_config(const std::string& path);

// read_config for `path`, or when that is empty for the default file if there is one.
Config read_config_or_defaults(const std::string& path);

}  // namespace oxpool::daemon
