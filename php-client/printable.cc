#include "printable.h"

#include "engine.h"

extern "C" {
#include "ext/standard/html.h"
}

namespace oxpool::php {

namespace {

// Controls, among them those that open with a byte above 127, and marks of direction.
bool shows_nothing_good(unsigned int point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
         (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

}  // namespace

std::string printable(std::string_view bytes) {
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string result;
  size_t next = 0;
  while (next < bytes.size()) {
    const size_t begin = next;
    zend_result status = SUCCESS;
    const unsigned int point = php_next_utf8_char(text, bytes.size(), &next, &status);
    if (status == SUCCESS && !shows_nothing_good(point)) {
      result += bytes.substr(begin, next - begin);
      continue;
    }
    for (size_t i = begin; i < next; ++i) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\x%02X", text[i]);
      result += escaped;
    }
  }
  return result;
}

}  // namespace oxpool::php
