// FNV-1a: a hash that narrows a search; who searches compares what it finds.
#pragma once

#include <cstdint>
#include <string_view>

namespace oxpool::shm {

constexpr uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace oxpool::shm
