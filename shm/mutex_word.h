// The word that says who has a mutex of the users, and what else must be known before it is taken.
#pragma once

#include <cstdint>

#include "shm/owner_id.h"

namespace oxpool::shm {

// Layout of `raw`:
//
//   61                                 5   4   3   2   1   0
//   ┌───────────────────────────────────┬───┬───┬───┬───┬───┐
//   │ OwnerId : 57                      │ R │ C │ H │ N │ W │
//   └───────────────────────────────────┴───┴───┴───┴───┴───┘
//
//   W  somebody may wait: whoever unlocks looks at the tickets
//   N  the first in line was woken and has not looked yet: it need not be woken again
//   H  the first in line has waited for its time: the lock is handed to it, not freed
//   C  corrupted: its holder died, nobody gets it. Only ever set where there is no holder
//   R  removed: whoever has it goes on to the end of its hold, nobody gets it any more
//
// Everything is in one word, so an uncontended lock is one load and one CAS, whatever has happened
// to the mutex: a word that is not 0 is looked at more closely.
struct MutexWord {
  static constexpr uint64_t kWaiters = 1;
  static constexpr uint64_t kNudged = 2;
  static constexpr uint64_t kHandOver = 4;
  static constexpr uint64_t kCorrupted = 8;
  static constexpr uint64_t kRemoved = 16;
  static constexpr uint64_t kFlags = 31;
  static constexpr int kOwnerShift = 5;

  uint64_t raw = 0;

  constexpr OwnerId owner() const { return OwnerId{raw >> kOwnerShift}; }
  constexpr bool has(uint64_t flag) const { return (raw & flag) != 0; }
  // Nobody has it and whoever comes may.
  constexpr bool open() const { return (raw & ~(kWaiters | kNudged | kHandOver)) == 0; }
  constexpr MutexWord with_owner(OwnerId owner) const {
    return {(raw & kFlags) | owner.raw << kOwnerShift};
  }
  constexpr MutexWord with(uint64_t flags) const { return {raw | flags}; }
  constexpr MutexWord without(uint64_t flags) const { return {raw & ~flags}; }
  friend constexpr bool operator==(MutexWord, MutexWord) = default;
};

static_assert(OwnerId::kBits + MutexWord::kOwnerShift <= 64);

}  // namespace oxpool::shm
