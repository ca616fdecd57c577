// The word that is one unit of a pool's budget: its state, why it should go, and who has it.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/owner_id.h"

namespace oxpool::shm {

// What a unit of budget is at the moment. Everything but kRetired and kFree has an owner.
enum class SlotState : uint8_t {
  kRetired = 0,   // not part of the budget (zeroed memory; a cap that was lowered)
  kFree = 1,      // budget that nobody has
  kGranted = 2,   // given to a waiting ticket's lane, which has not accepted it yet
  kReserved = 3,  // accepted: the factory runs
  kInUse = 4,     // handed out
  kIdle = 5,      // the resource exists and waits in its owner's idle stack
  kClosing = 6,   // destroy runs, or the other end has not hung up yet
};

// Why a slot is closed. The names are log text and metric label at once.
#define OXPOOL_CLOSE_REASONS(X)   \
  X(kNone, "none")                \
  X(kIdleTimeout, "idle_timeout") \
  X(kEvict, "evict")              \
  X(kShutdown, "shutdown")        \
  X(kReclaim, "reclaim")          \
  X(kHandOver, "handover")        \
  X(kLifetime, "lifetime")        \
  X(kDrain, "drain")              \
  X(kValidate, "validate")        \
  X(kReset, "reset")              \
  X(kDiscard, "discard")          \
  X(kRequestEnd, "request_end")   \
  X(kPoolDropped, "pool_dropped") \
  X(kDeadOwner, "dead_owner")

enum class CloseReason : uint8_t {
#define X(symbol, text) symbol,
  OXPOOL_CLOSE_REASONS(X)
#undef X
};
inline constexpr int kCloseReasonCount = 14;

constexpr const char* close_reason_text(CloseReason reason) {
  constexpr const char* kTexts[] = {
#define X(symbol, text) text,
      OXPOOL_CLOSE_REASONS(X)
#undef X
  };
  static_assert(sizeof(kTexts) / sizeof(kTexts[0]) == kCloseReasonCount);
  const auto index = static_cast<uint8_t>(reason);
  return index < kCloseReasonCount ? kTexts[index] : "unknown";
}

// Layout of `raw`:
//
//   63                                      7 6         3 2       0
//   ┌────────────────────────────────────────┬───────────┬─────────┐
//   │ owner : 57 (incarnation : 41, lane : 16)│ reason : 4│ state : 3│
//   └────────────────────────────────────────┴───────────┴─────────┘
//
// `reason` != kNone on an IDLE slot is a flag: somebody asks the owner to close it. A flag is a
// hint that the owner checks (is it really idle that long? does anybody still wait?), so a flag
// that lands on a slot used meanwhile does no harm. On a CLOSING slot it says why.
struct SlotWord {
  uint64_t raw = 0;

  static constexpr SlotWord make(SlotState state, OwnerId owner,
                                 CloseReason reason = CloseReason::kNone) {
    return SlotWord{(owner.raw << 7) | (uint64_t{static_cast<uint8_t>(reason)} << 3) |
                    static_cast<uint8_t>(state)};
  }
  static constexpr SlotWord free() { return make(SlotState::kFree, kNobody); }
  static constexpr SlotWord retired() { return SlotWord{}; }

  constexpr SlotState state() const { return static_cast<SlotState>(raw & 7u); }
  constexpr CloseReason reason() const { return static_cast<CloseReason>((raw >> 3) & 15u); }
  constexpr OwnerId owner() const { return OwnerId{raw >> 7}; }
  constexpr bool owned() const {
    return state() >= SlotState::kGranted && state() <= SlotState::kClosing;
  }
  friend constexpr bool operator==(SlotWord, SlotWord) = default;
};

static_assert(OwnerId::kBits + 4 + 3 == 64);
static_assert(kCloseReasonCount <= 16);

// Whether the protocol has a step from one word to the other. Everything that changes a slot word
// goes through slot_move, which asserts this in debug builds.
constexpr bool slot_move_allowed(SlotWord from, SlotWord to) {
  const bool same_owner = from.owner() == to.owner();
  const bool to_nobody = !to.owner();
  switch (from.state()) {
    case SlotState::kRetired:
      return to.state() == SlotState::kFree && to_nobody;  // the cap grows
    case SlotState::kFree:
      return (to.state() == SlotState::kRetired && to_nobody) ||  // the cap shrinks
             ((to.state() == SlotState::kGranted || to.state() == SlotState::kReserved) &&
              !to_nobody);
    case SlotState::kGranted:  // accepted, void because the ticket was cancelled, or buried
      return (to.state() == SlotState::kReserved && same_owner) ||
             (to.state() == SlotState::kFree && to_nobody);
    case SlotState::kReserved:  // minted, the factory failed, or buried
      return (to.state() == SlotState::kInUse && same_owner) ||
             (to.state() == SlotState::kIdle && same_owner) ||
             (to.state() == SlotState::kFree && to_nobody);
    case SlotState::kInUse:
      return ((to.state() == SlotState::kIdle || to.state() == SlotState::kClosing) &&
              same_owner) ||
             (to.state() == SlotState::kFree && to_nobody);  // buried
    case SlotState::kIdle:
      return ((to.state() == SlotState::kInUse || to.state() == SlotState::kClosing ||
               to.state() == SlotState::kIdle) &&  // IDLE → IDLE sets or clears a flag
              same_owner) ||
             (to.state() == SlotState::kFree && to_nobody);  // buried
    case SlotState::kClosing:
      return to.state() == SlotState::kFree && to_nobody;
  }
  return false;
}

}  // namespace oxpool::shm
