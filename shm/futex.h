// Sleep on and wake through a word that several processes map.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/layout.h"

namespace oxpool::shm {

// Sleeps while the low half of `word` equals `expected`, at most `timeout_ns`. Returns early on a
// wake, on a signal and spuriously, so callers look at the word again. Async-signal-safe.
void futex_wait(Word64& word, uint32_t expected, int64_t timeout_ns);

// Wakes at most `count` sleepers of `word`.
void futex_wake(Word64& word, int count);

// The same on a word of 32 bits. True: a signal ended the sleep.
bool futex_wait(Word32& word, uint32_t expected, int64_t timeout_ns);
void futex_wake(Word32& word, int count);

}  // namespace oxpool::shm
