#include "shm/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "shm/clock.h"

namespace oxpool::shm {

namespace {
// Little-endian, as layout.h asserts: the low half is at the word's own address.
void* low_half(Word64& word) { return &word; }
}  // namespace

void futex_wait(Word64& word, uint32_t expected, int64_t timeout_ns) {
  if (timeout_ns <= 0) return;
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(timeout_ns / kNanosPerSecond);
  timeout.tv_nsec = static_cast<long>(timeout_ns % kNanosPerSecond);
  syscall(SYS_futex, low_half(word), FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void futex_wake(Word64& word, int count) {
  syscall(SYS_futex, low_half(word), FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace oxpool::shm
