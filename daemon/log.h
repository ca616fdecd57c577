// The daemon's log: standard error, one event a line, key=value. README.md lists the events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oxpool::daemon {

// The levels that the configuration and the command line take, most talkative first.
const std::vector<std::string>& log_levels();

// Makes spdlog's default logger write to standard error. When that is the system journal, lines
// carry a priority and no time of their own.
void start_log(const std::string& level);

// `level` is one of log_levels().
void set_log_level(const std::string& level);

// Writes why the daemon ends before, or instead of, serving.
void log_refusal(const std::string& sentence);

// A name of any bytes as one printable token in quotes; what is longer than `limit` is cut.
std::string quote(std::string_view bytes, size_t limit = 255);

}  // namespace oxpool::daemon
