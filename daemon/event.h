// What happens in the daemon, told once: to the log, and to whoever asks for recent events.
// README.md lists the events.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oxpool::daemon {

enum class Level { kDebug, kInfo, kWarning, kError };
const char* level_text(Level level);

// One key and its value.
struct Field {
  enum class Kind {
    kNumber,
    kText,  // any bytes: quoted
    kWord,  // one of our own words: as it is
  };

  template <std::integral Number>
  Field(std::string_view name, Number number)
      : key(name), value(std::to_string(number)), kind(Kind::kNumber) {}
  // What is longer than `limit` bytes is cut.
  Field(std::string_view name, std::string_view bytes, size_t limit = 255);
  Field(std::string_view name, const std::string& bytes) : Field(name, std::string_view(bytes)) {}
  Field(std::string_view name, const char* bytes) : Field(name, std::string_view(bytes)) {}
  static Field word(std::string_view name, std::string_view word);

  std::string key;
  std::string value;
  Kind kind;
  bool cut = false;

 private:
  Field() = default;
};

using Fields = std::vector<Field>;

// Whether an event is kept for those who look later. What happens to every worker would drive out
// what is rare.
enum class Recent { kKeep, kLeaveOut };

// Writes one line to the log, and keeps the event if it is above debug. Any thread.
void log_event(Level level, std::string_view name, Fields fields = {},
               Recent recent = Recent::kKeep);

// The line's text without time and level: NAME KEY=VALUE…
std::string event_as_text(std::string_view name, const Fields& fields);
// "event":NAME,"KEY":VALUE… without the braces.
std::string event_as_json(std::string_view name, const Fields& fields);

}  // namespace oxpool::daemon
