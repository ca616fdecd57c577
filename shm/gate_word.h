// One word per pool that an acquire looks at first: are new ones admitted?
#pragma once

#include <cstdint>

namespace oxpool::shm {

enum class Gate : uint8_t {
  kOpen = 0,
  kWait = 1,     // paused: new acquires wait, tryAcquire finds the pool saturated
  kFail = 2,     // paused: new acquires and those that wait are refused as closed
  kDrained = 3,  // as kFail, and what is idle or comes back is closed
};

// The words of logs, metrics and JSON.
constexpr const char* gate_text(Gate gate) {
  constexpr const char* kTexts[] = {"open", "wait", "fail", "drained"};
  return kTexts[static_cast<uint8_t>(gate) & 3u];
}

// Layout of `raw`:
//
//   63                                        2 1      0
//   ┌──────────────────────────────────────────┬────────┐
//   │ until : 62                               │ gate : 2│
//   └──────────────────────────────────────────┴────────┘
//
// until  milliseconds of the daemon's CLOCK_MONOTONIC at which it is open again; 0 = when somebody
//        opens it
//
// Zero is an open gate: the hot paths compare with that alone. Written by the daemon, and by
// whoever finds that its time is over; one word, so nothing of it is ever half written.
struct GateWord {
  uint64_t raw = 0;

  static constexpr GateWord make(Gate gate, uint64_t until_ms) {
    return gate == Gate::kOpen ? GateWord{} : GateWord{until_ms << 2 | static_cast<uint8_t>(gate)};
  }
  constexpr Gate gate() const { return static_cast<Gate>(raw & 3u); }
  constexpr uint64_t until_ms() const { return raw >> 2; }
  constexpr bool over(int64_t now_ms) const {
    return until_ms() != 0 && now_ms >= 0 && static_cast<uint64_t>(now_ms) >= until_ms();
  }
  friend constexpr bool operator==(GateWord, GateWord) = default;
};

}  // namespace oxpool::shm
