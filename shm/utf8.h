// Which bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace oxpool::shm {

// Bytes of the UTF-8 character that `bytes`, which are not empty, begin with; 0 when they begin
// with none. Strict: no surrogates, nothing longer than needed, nothing above U+10FFFF.
size_t utf8_length(std::string_view bytes);

}  // namespace oxpool::shm
