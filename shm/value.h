// A mutex's value: two copies, and one word that says which of them counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Acquire: the copy that it names was written before it.
inline ValueWord load_value(const MutexRecord& mutex) {
  return ValueWord{mutex.value.load(std::memory_order_acquire)};
}

enum class CommitResult {
  kOk,
  kNoUnits,  // the value area has no room
  kTimeout,  // the value lock could not be had in time: somebody is stopped inside
};

// Writes the copy that does not count, then makes it the one that does. Only for who has the
// mutex's lock. `bytes` is at most ValueWord::kMaxBytes long and does not lie in that copy.
// Unless it is kOk nothing was changed. Wait-free when the copy has room.
CommitResult commit_value(const SegmentView& view, MutexRecord& mutex, const LockContext& context,
                          std::string_view bytes);

// The bytes of the copy that counts, where they lie; for who has the mutex's lock. Empty when the
// record was scribbled on and leads out of the segment.
std::string_view value_bytes(const SegmentView& view, const MutexRecord& mutex);

// What copy_value may take: a value that is changed that often meanwhile is given up.
inline constexpr int kCopyTries = 200;

// Copies the value without the lock: the version is looked at again after the bytes were read.
// False: it was changed during each of kCopyTries tries, or leads out of the segment. At most
// `most_bytes` are copied. Lock-free; safe on a segment that was scribbled on. Any thread.
bool copy_value(const SegmentView& view, const MutexRecord& mutex, std::string* bytes,
                ValueWord* word, uint32_t most_bytes = ValueWord::kMaxBytes);

// The longest value that is taken: at most ValueWord::kMaxBytes, whatever the segment says.
uint32_t value_limit_bytes(const SegmentView& view);

}  // namespace oxpool::shm
