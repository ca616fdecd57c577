// Names are any bytes; what is read by others (JSON, metrics) must be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oxpool::daemon {

// Bytes of the UTF-8 character that `bytes`, which are not empty, begin with; 0 when they begin
// with none. Strict: no surrogates, nothing longer than needed, nothing above U+10FFFF.
size_t utf8_length(std::string_view bytes);

// The same text with U+FFFD in the place of each byte that belongs to no character, and of each
// NUL, which some readers take for the end.
std::string as_utf8(std::string_view bytes);

// The beginning of `text`, at most `limit` bytes of whole characters.
std::string_view utf8_prefix(std::string_view text, size_t limit);

}  // namespace oxpool::daemon
