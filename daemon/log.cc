#include "daemon/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

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

// Bytes of the UTF-8 character that `bytes` begin with; 0 when they begin with none.
size_t utf8_length(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const size_t length = first < 0x80             ? 1
                        : (first & 0xe0) == 0xc0 ? 2
                        : (first & 0xf0) == 0xe0 ? 3
                        : (first & 0xf8) == 0xf0 ? 4
                                                 : 0;
  if (length > bytes.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> levels = {"trace", "debug", "info", "warning", "error"};
  return levels;
}

void start_log(const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("oxpoold",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (standard_error_is_the_journal()) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<JournalPriority>('*').set_pattern("%*%v");
    logger->set_formatter(std::move(formatter));
  } else {
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  }
  spdlog::set_default_logger(std::move(logger));
  set_log_level(level);
}

void set_log_level(const std::string& level) { spdlog::set_level(spdlog::level::from_str(level)); }

void log_refusal(const std::string& sentence) {
  std::fprintf(stderr, "%soxpoold: %s\n", standard_error_is_the_journal() ? "<3>" : "",
               sentence.c_str());
}

std::string quote(std::string_view bytes, size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  const bool cut = bytes.size() > limit;
  bytes = bytes.substr(0, limit);
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
