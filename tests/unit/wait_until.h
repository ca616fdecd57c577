// Waiting for a condition instead of sleeping and hoping.
#pragma once

#include <unistd.h>

#include "shm/clock.h"

namespace oxpool::test {

// True as soon as `condition()` holds; false when it did not within the watchdog's time.
template <typename Condition>
bool wait_until(Condition condition, int watchdog_seconds = 30) {
  const int64_t deadline_ns = shm::monotonic_ns() + watchdog_seconds * shm::kNanosPerSecond;
  while (!condition()) {
    if (shm::monotonic_ns() >= deadline_ns) return false;
    usleep(200);
  }
  return true;
}

}  // namespace oxpool::test
