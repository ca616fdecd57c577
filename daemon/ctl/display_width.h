// How many columns of a terminal a text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oxpool::ctl {

// Of UTF-8: wide characters take two columns, combining ones none. A byte that is no UTF-8 counts
// as one. Escape sequences for colours (ESC [ … m) count as none.
size_t display_width(std::string_view text);

// The text, cut to at most `width` columns; one that was cut ends in "…".
std::string cut_to_width(std::string_view text, size_t width);

}  // namespace oxpool::ctl
