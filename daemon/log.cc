#include "daemon/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "daemon/event.h"
#include "daemon/utf8.h"

namespace oxpool::daemon {

namespace {

// The journal reads a line's priority from "<N>" at its start (sd-daemon(3)).
class JournalPriority : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    static constexpr const char* kPriorities[] = {"<7>", "<7>", "<6>", "<4>", "<3>", "<2>", "<6>"};
    const char* text = kPriorities[message.level];
    out.append(text, text + 3);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JournalPriority>();
  }
};

// JOURNAL_STREAM names the journal's socket; it is inherited by programs whose standard error was
// sent elsewhere since, so the two are compared.
bool standard_error_is_the_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

// What an object's line has behind time and level: the event as event_as_json() made it. Other text
// stands there as an event's name.
class JsonPayload : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    constexpr std::string_view kEvent = "\"event\":";
    const std::string_view text(message.payload.data(), message.payload.size());
    const std::string line = text.substr(0, kEvent.size()) == kEvent
                                 ? std::string(text)
                                 : event_as_json(as_utf8(text), {});
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonPayload>();
  }
};

std::atomic<LogFormat> format_in_use{LogFormat::kText};

std::string pattern_of(LogFormat format, bool journal) {
  const std::string priority = journal ? "%*" : "";
  if (format == LogFormat::kJson) {
    return priority + R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%&})";
  }
  return journal ? "%*%v" : "%Y-%m-%dT%H:%M:%S.%e%z %l %v";
}

}  // namespace

const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> levels = {"trace", "debug", "info", "warning", "error"};
  return levels;
}

const std::vector<std::string>& log_formats() {
  static const std::vector<std::string> formats = {"text", "json"};
  return formats;
}

void start_log(const std::string& level, const std::string& format) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "oxpoold", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  set_log_format(format);
  set_log_level(level);
}

void set_log_level(const std::string& level) { spdlog::set_level(spdlog::level::from_str(level)); }

void set_log_format(const std::string& format) {
  const LogFormat chosen = format == log_formats()[static_cast<size_t>(LogFormat::kJson)]
                               ? LogFormat::kJson
                               : LogFormat::kText;
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<JournalPriority>('*').add_flag<JsonPayload>('&').set_pattern(
      pattern_of(chosen, standard_error_is_the_journal()));
  spdlog::set_formatter(std::move(formatter));
  format_in_use = chosen;
}

LogFormat log_format() { return format_in_use; }

void log_refusal(const std::string& sentence) {
  std::fprintf(stderr, "%soxpoold: %s\n", standard_error_is_the_journal() ? "<3>" : "",
               sentence.c_str());
}

std::string quote(std::string_view bytes, size_t limit) {
  return quote_beginning(bytes.substr(0, limit), bytes.size() > limit);
}

std::string quote_beginning(std::string_view bytes, bool cut) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  while (!bytes.empty()) {
    const auto value = static_cast<unsigned char>(bytes[0]);
    const size_t length = utf8_length(bytes);
    if (length == 0 || value < 0x20 || value == 0x7f) {
      text += {'\\', 'x', kHex[value >> 4], kHex[value & 15]};
    } else {
      if (value == '"' || value == '\\') text += '\\';
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<size_t>(length, 1));
  }
  return text + (cut ? "…\"" : "\"");
}

}  // namespace oxpool::daemon
