#include "shm/utf8.h"

namespace oxpool::shm {

namespace {

unsigned char byte_at(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

bool continues(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// Which second bytes would make the character one that must not be.
bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0;  // fits in two bytes
    case 0xed:
      return second < 0xa0;  // a surrogate
    case 0xf0:
      return second >= 0x90;  // fits in three bytes
    case 0xf4:
      return second < 0x90;  // above U+10FFFF
    default:
      return true;
  }
}

}  // namespace

size_t utf8_length(std::string_view bytes) {
  const unsigned char first = byte_at(bytes, 0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || length > bytes.size() || !second_byte_fits(first, byte_at(bytes, 1))) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(byte_at(bytes, i))) return 0;
  }
  return length;
}

}  // namespace oxpool::shm
