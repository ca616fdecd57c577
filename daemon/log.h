// Where the daemon's log goes and what its lines look like: standard error, one event a line. What
// is said goes through log_event() (event.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oxpool::daemon {

// The levels that the configuration and the command line take, most talkative first.
const std::vector<std::string>& log_levels();

enum class LogFormat {
  kText,  // key=value
  kJson,  // an object a line
};
// The formats that the configuration takes, by their numbers.
const std::vector<std::string>& log_formats();

// Makes spdlog's default logger write to standard error. When that is the system journal, lines
// carry a priority, and text no time of its own. `format` is one of log_formats(), `level` one of
// log_levels().
void start_log(const std::string& level, const std::string& format);

void set_log_level(const std::string& level);
void set_log_format(const std::string& format);
LogFormat log_format();

// Writes why the daemon ends before, or instead of, serving.
void log_refusal(const std::string& sentence);

// A name of any bytes as one printable token in quotes; what is longer than `limit` is cut.
std::string quote(std::string_view bytes, size_t limit = 255);
// The same for a beginning of something that was cut already, or for all of it.
std::string quote_beginning(std::string_view bytes, bool cut);

}  // namespace oxpool::daemon
