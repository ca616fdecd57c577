// The word that decides a wait: WAITING → GRANTED(slot) or → CANCELLED, once, by CAS.
#pragma once

#include <cstdint>

namespace oxpool::shm {

enum class WaitState : uint8_t {
  kNone = 0,       // the ticket is not in a queue
  kWaiting = 1,    // queued; whoever holds the pool's lock may grant
  kGranted = 2,    // a slot was given; it is GRANTED(this ticket's lane) or will be accepted
  kCancelled = 3,  // the waiter left; unlinked by the next one who holds the pool's lock
};

// Layout of `raw`; the waiter sleeps on the low half:
//
//   63                      32 31                     2 1      0
//   ┌─────────────────────────┬────────────────────────┬────────┐
//   │ slot index : 32         │ round : 30             │ state:2│
//   └─────────────────────────┴────────────────────────┴────────┘
//
// `round` grows with each use of the ticket, so a granter that was delayed over two waits of the
// same ticket can not decide the second one.
struct WaitWord {
  uint64_t raw = 0;

  static constexpr WaitWord make(WaitState state, uint32_t round, uint32_t slot = 0) {
    return WaitWord{(uint64_t{slot} << 32) | (uint64_t{round & 0x3fffffffu} << 2) |
                    static_cast<uint8_t>(state)};
  }
  constexpr WaitState state() const { return static_cast<WaitState>(raw & 3u); }
  constexpr uint32_t round() const { return static_cast<uint32_t>(raw >> 2) & 0x3fffffffu; }
  constexpr uint32_t slot() const { return static_cast<uint32_t>(raw >> 32); }
  constexpr uint32_t low_half() const { return static_cast<uint32_t>(raw); }
  friend constexpr bool operator==(WaitWord, WaitWord) = default;
};

}  // namespace oxpool::shm
