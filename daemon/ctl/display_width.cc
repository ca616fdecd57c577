#include "daemon/ctl/display_width.h"

#include <wchar.h>

#include <clocale>
#include <cstdint>

#include "daemon/ctl/text.h"
#include "daemon/utf8.h"

namespace oxpool::ctl {

namespace {

// wcwidth knows a character set by the locale alone.
void use_utf8() {
  static const char* const kDone = std::setlocale(LC_CTYPE, "C.UTF-8");
  static_cast<void>(kDone);
}

struct Piece {
  size_t bytes = 1;
  size_t width = 1;
};

Piece first_piece(std::string_view text) {
  if (text[0] == '\x1b') {
    const size_t end = text.find('m');
    return {end == text.npos ? text.size() : end + 1, 0};
  }
  const size_t bytes = daemon::utf8_length(text);
  if (bytes == 0) return {1, 1};
  use_utf8();
  const int width = wcwidth(static_cast<wchar_t>(utf8_code_point(text.substr(0, bytes))));
  return {bytes, width < 0 ? 1u : static_cast<size_t>(width)};
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    width += piece.width;
    text.remove_prefix(piece.bytes);
  }
  return width;
}

std::string cut_to_width(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string kept;
  size_t used = 0;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    if (used + piece.width > width - 1) break;
    kept += text.substr(0, piece.bytes);
    used += piece.width;
    text.remove_prefix(piece.bytes);
  }
  return kept + "…";
}

}  // namespace oxpool::ctl
