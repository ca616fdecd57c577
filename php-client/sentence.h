// A message on its way into PHP.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace oxpool::php {

// Plain memory: PHP may jump over a frame, and what jumps over a std::string leaks it.
struct Sentence {
  char text[1536] = "";

  void set(std::string_view from) {
    const size_t bytes = std::min(from.size(), sizeof text - 1);
    std::memcpy(text, from.data(), bytes);
    text[bytes] = '\0';
  }
};

// Bytes from PHP code as a sentence can carry them: quoted, printable, bounded.
inline std::string quoted(std::string_view bytes, size_t at_most = 120) {
  std::string result = "'";
  for (const char c : bytes.substr(0, at_most)) {
    result += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  }
  return result + (bytes.size() > at_most ? "…'" : "'");
}

}  // namespace oxpool::php
