#include "keyed_hash.h"

#include <bit>
#include <cstring>

namespace oxpool::php {

namespace {

struct State {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

}  // namespace

uint64_t keyed_hash(const HashKey& key, std::string_view bytes) {
  State state{key.words[0] ^ 0x736f6d6570736575, key.words[1] ^ 0x646f72616e646f6d,
              key.words[0] ^ 0x6c7967656e657261, key.words[1] ^ 0x7465646279746573};
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    state.absorb(word);
  }
  uint64_t last = uint64_t{bytes.size()} << 56;
  for (size_t i = 0; at + i < bytes.size(); ++i) {
    last |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  state.absorb(last);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

std::string keyed_hash_hex(const HashKey& key, std::string_view bytes, int digits) {
  const uint64_t hash = keyed_hash(key, bytes);
  std::string result;
  for (int i = 0; i < digits; ++i) result += "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
  return result;
}

}  // namespace oxpool::php
