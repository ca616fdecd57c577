#include "daemon/ctl/text.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "daemon/utf8.h"

namespace oxpool::ctl {

namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return std::string(text, static_cast<size_t>(length));
}

}  // namespace

uint32_t utf8_code_point(std::string_view character) {
  static constexpr unsigned char kMasks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = static_cast<unsigned char>(character[0]) & kMasks[character.size()];
  for (size_t i = 1; i < character.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3f);
  }
  return code;
}

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const size_t length = daemon::utf8_length(bytes);
    const uint32_t code = length != 0 ? utf8_code_point(bytes.substr(0, length)) : 0;
    // C1 controls steer some terminals; the others turn the direction of writing.
    const bool steers = code < 0x20 || (code >= 0x7f && code < 0xa0) ||
                        (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                        (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
    const size_t taken = length == 0 ? 1 : length;
    if (length == 0 || steers) {
      for (size_t i = 0; i < taken; ++i) {
        text += formatted("\\x%02x", static_cast<unsigned char>(bytes[i]));
      }
    } else {
      if (code == '\\') text += '\\';
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(taken);
  }
  return text;
}

std::string quoted(std::string_view bytes) {
  std::string text(1, '"');
  for (const char c : printable(bytes)) {
    if (c == '"') text += '\\';
    text += c;
  }
  text += '"';
  return text;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    const size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (size_t j = 0; j < 3; ++j) {
      three = three << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string duration_text(uint64_t ms) {
  constexpr uint64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
  constexpr uint64_t kDay = 24 * kHour;
  if (ms < kSecond) return formatted("%" PRIu64 "ms", ms);
  if (ms < kMinute) {
    return formatted("%" PRIu64 ".%" PRIu64 "s", ms / kSecond, ms % kSecond / 100);
  }
  if (ms < kHour) {
    return formatted("%" PRIu64 "m%02" PRIu64 "s", ms / kMinute, ms % kMinute / kSecond);
  }
  if (ms < kDay) {
    return formatted("%" PRIu64 "h%02" PRIu64 "m", ms / kHour, ms % kHour / kMinute);
  }
  return formatted("%" PRIu64 "d%02" PRIu64 "h", ms / kDay, ms % kDay / kHour);
}

std::string duration_us_text(uint64_t us) {
  if (us < 1000) return formatted("%" PRIu64 "us", us);
  if (us < 10'000) return formatted("%.1fms", static_cast<double>(us) / 1000);
  return duration_text(us / 1000);
}

std::string bytes_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return formatted("%" PRIu64 " B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return formatted("%.1f %s", value, kUnits[unit]);
}

std::string number_text(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string rate_text(double per_second) {
  if (per_second < 0.05) return "0";
  if (per_second < 10) return formatted("%.1f", per_second);
  if (per_second < 1000) return formatted("%.0f", per_second);
  if (per_second < 1e6) return formatted("%.1fk", per_second / 1000);
  return formatted("%.1fM", per_second / 1e6);
}

std::string percent_text(double share) { return formatted("%.0f%%", share * 100); }

std::string counted(uint64_t number, const std::string& what) {
  return number_text(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace oxpool::ctl
