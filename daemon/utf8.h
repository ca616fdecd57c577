// Names are any bytes; what is read by others (JSON, metrics) must be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shm/utf8.h"

namespace oxpool::daemon {

using shm::utf8_length;

// The same text with U+FFFD in the place of each byte that belongs to no character, and of each
// NUL, which some readers take for the end.
std::string as_utf8(std::string_view bytes);

// The beginning of `text`, at most `limit` bytes of whole characters.
std::string_view utf8_prefix(std::string_view text, size_t limit);

}  // namespace oxpool::daemon
