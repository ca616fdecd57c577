#include "daemon/event.h"

#include <spdlog/spdlog.h>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "daemon/event_log.h"
#include "daemon/log.h"
#include "daemon/utf8.h"

namespace oxpool::daemon {

namespace {

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      break;
  }
  return spdlog::level::err;
}

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::value(boost::json::string_view(text)));
}

}  // namespace

const char* level_text(Level level) {
  static constexpr const char* kTexts[] = {"debug", "info", "warning", "error"};
  return kTexts[static_cast<int>(level)];
}

Field::Field(std::string_view name, std::string_view bytes, size_t limit)
    : key(name), value(bytes.substr(0, limit)), kind(Kind::kText), cut(bytes.size() > limit) {}

Field Field::word(std::string_view name, std::string_view word) {
  Field field(name, word);
  field.kind = Kind::kWord;
  return field;
}

std::string event_as_text(std::string_view name, const Fields& fields) {
  std::string line(name);
  for (const Field& field : fields) {
    line += " " + field.key + "=";
    line +=
        field.kind == Field::Kind::kText ? quote_beginning(field.value, field.cut) : field.value;
  }
  return line;
}

std::string event_as_json(std::string_view name, const Fields& fields) {
  std::string line = "\"event\":" + json_text(name);
  for (const Field& field : fields) {
    line += ",\"" + field.key + "\":";
    line += field.kind == Field::Kind::kNumber
                ? field.value
                : json_text(as_utf8(field.value) + (field.cut ? "…" : ""));
  }
  return line;
}

void log_event(Level level, std::string_view name, Fields fields, Recent recent) {
  if (spdlog::should_log(spdlog_level(level))) {
    const std::string line = log_format() == LogFormat::kJson ? event_as_json(name, fields)
                                                              : event_as_text(name, fields);
    spdlog::log(spdlog_level(level), spdlog::string_view_t(line));
  }
  if (recent == Recent::kKeep && level != Level::kDebug) {
    recent_events().add(level, name, std::move(fields));
  }
}

}  // namespace oxpool::daemon
