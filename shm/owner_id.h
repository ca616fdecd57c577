// Who owns something in the segment: one lane in one life.
#pragma once

#include <cstdint>

namespace oxpool::shm {

// Names a lane together with its incarnation, so that a word that names an owner can never be
// mistaken for a later user of the same lane record.
//
// Layout of `raw` (57 bits, so that 7 remain for a slot's state and reason):
//
//   56                                16 15            0
//   ┌───────────────────────────────────┬───────────────┐
//   │ incarnation : 41                  │ lane : 16     │
//   └───────────────────────────────────┴───────────────┘
//
// Incarnations start at 1 and are never used twice in a segment, so raw == 0 is nobody. At a
// thousand attaches a second 41 bits last for 69 years.
struct OwnerId {
  static constexpr int kLaneBits = 16;
  static constexpr int kIncarnationBits = 41;
  static constexpr int kBits = kLaneBits + kIncarnationBits;
  static constexpr uint64_t kMaxIncarnation = (uint64_t{1} << kIncarnationBits) - 1;

  uint64_t raw = 0;

  static constexpr OwnerId make(uint32_t lane, uint64_t incarnation) {
    return OwnerId{(incarnation << kLaneBits) | (lane & 0xffffu)};
  }
  constexpr uint32_t lane() const { return static_cast<uint32_t>(raw & 0xffffu); }
  constexpr uint64_t incarnation() const { return raw >> kLaneBits; }
  constexpr explicit operator bool() const { return raw != 0; }
  friend constexpr bool operator==(OwnerId, OwnerId) = default;
};

inline constexpr OwnerId kNobody{};

}  // namespace oxpool::shm
