#include "shm/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "shm/clock.h"

namespace oxpool::shm {

namespace {
// Little-endian, as layout.h asserts: the low half is at the word's own address.
void* low_half(Word64& word) { return &word; }

// What ended the sleep, as errno has it; 0 = a wake.
int wait_at(void* word, uint32_t expected, int64_t timeout_ns) {
  if (timeout_ns <= 0) return ETIMEDOUT;
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(timeout_ns / kNanosPerSecond);
  timeout.tv_nsec = static_cast<long>(timeout_ns % kNanosPerSecond);
  const long ended = syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
  return ended == 0 ? 0 : errno;
}

void wake_at(void* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}
}  // namespace

void futex_wait(Word64& word, uint32_t expected, int64_t timeout_ns) {
  wait_at(low_half(word), expected, timeout_ns);
}

void futex_wake(Word64& word, int count) { wake_at(low_half(word), count); }

bool futex_wait(Word32& word, uint32_t expected, int64_t timeout_ns) {
  return wait_at(&word, expected, timeout_ns) == EINTR;
}

void futex_wake(Word32& word, int count) { wake_at(&word, count); }

}  // namespace oxpool::shm
