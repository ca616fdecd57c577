// SipHash-2-4: a 64-bit hash that can not be computed without its key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oxpool::php {

struct HashKey {
  uint64_t words[2];
};

uint64_t keyed_hash(const HashKey& key, std::string_view bytes);

// The first `digits` (≤ 16) hexadecimal digits of the hash.
std::string keyed_hash_hex(const HashKey& key, std::string_view bytes, int digits);

}  // namespace oxpool::php
