// A lock in shared memory that survives the death of its holder, in any PID namespace.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/layout.h"
#include "shm/liveness.h"
#include "shm/owner_id.h"

namespace oxpool::shm {

// Who locks, and how it tells the living from the dead.
struct LockContext {
  OwnerId me;
  const Liveness* liveness = nullptr;  // null: judges nobody, so there is never anything to repair
};

enum class LockResult {
  kAcquired,
  kOwnerDied,  // acquired, with an obligation: repair what the lock guards first
  kTimeout,
};

// The algorithm on a bare word. Use PoolLock or TableLock (locks.h), which carry the obligation.
//
// Layout of the word; sleepers wait on its low half:
//
//   57                                 1   0
//   ┌───────────────────────────────────┬───┐
//   │ OwnerId : 57                      │ W │   W = somebody may sleep
//   └───────────────────────────────────┴───┘
//
// Invariants:
//  1. The word names the holder from the instant it holds: there is no moment in between.
//  2. It is taken from another only when that one is dead, by CAS on the very word that was judged.
//  3. unlock changes it only from the caller's own id: who was buried alive changes nothing.
//  4. W stays set as long as anybody may sleep: whoever unlocks with W wakes one, who sets W again.
// Modelled with lane reuse and a concurrent burier: with the lane's number alone two owners exist.
//
// Thread safety: any thread of any process that maps the word; not recursive.
class RobustMutex {
 public:
  // Waits at most `timeout_ns` (0 = try). A holder that died is noticed within 10 ms.
  static LockResult lock(Word64& word, const LockContext& context, int64_t timeout_ns);

  // False: the lock was no longer the caller's (fenced); it must touch nothing more.
  static bool unlock(Word64& word, OwnerId me);

  static OwnerId holder(const Word64& word) {
    return OwnerId{word.load(std::memory_order_relaxed) >> 1};
  }
};

}  // namespace oxpool::shm
