// Bytes from anybody as a page or a terminal can show them.
#pragma once

#include <string>
#include <string_view>

namespace oxpool::php {

// Text stays as it is, in whatever script; what is no UTF-8, controls a terminal or turns the
// direction of writing is shown as \xHH. A backslash stays, so this is for reading only.
std::string printable(std::string_view bytes);

}  // namespace oxpool::php
