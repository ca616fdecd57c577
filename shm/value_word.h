// The word that says which of a value's two copies counts.
#pragma once

#include <cstdint>

namespace oxpool::shm {

// Layout of `raw`:
//
//   63                                25 24        1      0
//   ┌───────────────────────────────────┬───────────┬──────┐
//   │ version : 39                      │ bytes : 24│ copy │
//   └───────────────────────────────────┴───────────┴──────┘
//
// The version grows with each commit and begins anew after 5 × 10^11 of them.
struct ValueWord {
  static constexpr uint32_t kMaxBytes = (1u << 24) - 1;
  static constexpr uint64_t kVersionMask = (uint64_t{1} << 39) - 1;

  uint64_t raw = 0;

  static constexpr ValueWord make(uint64_t version, uint32_t bytes, uint32_t copy) {
    return ValueWord{(version & kVersionMask) << 25 | uint64_t{bytes & kMaxBytes} << 1 |
                     (copy & 1u)};
  }
  constexpr uint64_t version() const { return raw >> 25; }
  constexpr uint32_t bytes() const { return static_cast<uint32_t>(raw >> 1) & kMaxBytes; }
  constexpr uint32_t copy() const { return static_cast<uint32_t>(raw & 1u); }
  friend constexpr bool operator==(ValueWord, ValueWord) = default;
};

}  // namespace oxpool::shm
