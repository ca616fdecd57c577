#include "shm/robust_mutex.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/futex.h"

namespace oxpool::shm {

namespace {

constexpr uint64_t kWaiters = 1;
// The first sleep is short: a holder that is found dead was dead before it.
constexpr int64_t kFirstSliceNs = kNanosPerMilli;
constexpr int64_t kSliceNs = 10 * kNanosPerMilli;
// A holder is inside for a few dozen instructions: worth a short look before sleeping.
constexpr int kSpins = 64;

constexpr uint64_t word_of(OwnerId owner) { return owner.raw << 1; }

// Acquire: what the last holder wrote is visible. Release is unlock's half.
bool take(Word64& word, uint64_t expected, uint64_t desired) {
  return word.compare_exchange_strong(expected, desired, std::memory_order_acq_rel,
                                      std::memory_order_relaxed);
}

void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

LockResult RobustMutex::lock(Word64& word, const LockContext& context, int64_t timeout_ns) {
  const uint64_t mine = word_of(context.me);
  if (take(word, 0, mine)) return LockResult::kAcquired;
  for (int spin = 0; spin < kSpins; ++spin) {
    if (word.load(std::memory_order_relaxed) == 0 && take(word, 0, mine)) {
      return LockResult::kAcquired;
    }
    spin_pause();
  }

  const int64_t deadline = deadline_after(monotonic_ns(), timeout_ns);
  int64_t slice = kFirstSliceNs;
  for (;;) {
    const uint64_t seen = word.load(std::memory_order_relaxed);
    if (seen == 0) {
      if (take(word, 0, mine | kWaiters)) return LockResult::kAcquired;  // others may sleep: keep W
      continue;
    }
    if ((seen & kWaiters) == 0 && !take(word, seen, seen | kWaiters)) continue;
    const uint64_t judged = seen | kWaiters;

    const int64_t left = deadline - monotonic_ns();
    futex_wait(word, static_cast<uint32_t>(judged), std::min(slice, left));
    slice = kSliceNs;
    if (context.liveness != nullptr && word.load(std::memory_order_relaxed) == judged &&
        context.liveness->dead(OwnerId{judged >> 1}) && take(word, judged, mine | kWaiters)) {
      return LockResult::kOwnerDied;
    }
    // Past the deadline, one last try: a timeout of 0 must still find a dead holder.
    if (monotonic_ns() >= deadline) {
      return take(word, 0, mine | kWaiters) ? LockResult::kAcquired : LockResult::kTimeout;
    }
  }
}

bool RobustMutex::unlock(Word64& word, OwnerId me) {
  uint64_t seen = word.load(std::memory_order_relaxed);
  for (;;) {
    if (OwnerId{seen >> 1} != me) return false;
    if (word.compare_exchange_weak(seen, 0, std::memory_order_release, std::memory_order_relaxed)) {
      break;
    }
  }
  if ((seen & kWaiters) != 0) futex_wake(word, 1);
  return true;
}

}  // namespace oxpool::shm
