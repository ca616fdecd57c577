#include "shm/value.h"

#include <algorithm>
#include <cstring>

#include "shm/unit_map.h"

namespace oxpool::shm {

namespace {

// A copy that was long leaves room that a short one does not need; so many units stay in any case,
// so that a value whose length goes to and fro does not go for the lock each time.
constexpr uint32_t kSparedUnits = 16;
constexpr uint32_t kWasteful = 4;  // times of what is needed

constexpr uint32_t units_for(uint32_t bytes) {
  return bytes <= kInlineBytes ? 0 : (bytes + kUnitBytes - 1) / kUnitBytes;
}

UnitRun run_of(const MutexRecord& mutex, uint32_t copy) {
  return UnitRun::of(mutex.runs[copy].load(std::memory_order_relaxed));
}

// Where a copy of that length lies; nullptr when the record leads out of the segment.
Word64* words_of(const SegmentView& view, const MutexRecord& mutex, uint32_t copy, uint32_t bytes) {
  if (bytes <= kInlineBytes) return const_cast<Word64*>(mutex.inline_values[copy]);
  const UnitRun run = run_of(mutex, copy);
  if (!view.has_units(run) || run.units < units_for(bytes)) return nullptr;
  return view.unit(run.first)->words;
}

// Word by word, since others may be reading: they notice, and read again.
void write_words(Word64* words, std::string_view bytes) {
  const size_t whole = bytes.size() / sizeof(uint64_t);
  for (size_t i = 0; i < whole; ++i) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    words[i].store(word, std::memory_order_relaxed);
  }
  if (const size_t rest = bytes.size() % sizeof(uint64_t); rest != 0) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + whole * sizeof word, rest);
    words[whole].store(word, std::memory_order_relaxed);
  }
}

void read_words(const Word64* words, char* bytes, uint32_t count) {
  for (uint32_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t word = words[at / sizeof(uint64_t)].load(std::memory_order_relaxed);
    std::memcpy(bytes + at, &word, std::min<size_t>(sizeof word, count - at));
  }
}

// Brings the units of a copy in line with what it is to hold.
CommitResult fit_run(const SegmentView& view, MutexRecord& mutex, const LockContext& context,
                     uint32_t copy, uint32_t units) {
  const uint32_t has = run_of(mutex, copy).units;
  const bool wasteful = has > kSparedUnits && has / kWasteful > units;
  if (has >= units && !wasteful) return CommitResult::kOk;
  ValueLock lock(view, context, kLockPatienceNs);
  if (!lock.held()) return has >= units ? CommitResult::kOk : CommitResult::kTimeout;
  // A value that grows will grow again.
  const bool fits = (!wasteful && replace_run(lock, mutex, copy, units + units / 8)) ||
                    replace_run(lock, mutex, copy, units);
  return fits || has >= units ? CommitResult::kOk : CommitResult::kNoUnits;
}

}  // namespace

CommitResult commit_value(const SegmentView& view, MutexRecord& mutex, const LockContext& context,
                          std::string_view bytes) {
  const ValueWord now = load_value(mutex);
  const uint32_t spare = 1 - now.copy();
  const auto size = static_cast<uint32_t>(std::min<size_t>(bytes.size(), ValueWord::kMaxBytes));
  // Who reads this copy without the lock took it for the one that counts. The last commit said that
  // it is not, and that is seen before any byte below is.
  std::atomic_thread_fence(std::memory_order_release);
  if (size > kInlineBytes || mutex.runs[spare].load(std::memory_order_relaxed) != 0) {
    const CommitResult fitted = fit_run(view, mutex, context, spare, units_for(size));
    if (fitted != CommitResult::kOk) return fitted;
  }
  Word64* words = words_of(view, mutex, spare, size);
  if (words == nullptr) return CommitResult::kNoUnits;
  write_words(words, bytes.substr(0, size));
  const uint64_t next = (now.version() + 1) & ValueWord::kVersionMask;
  // Release: the copy is written before it counts.
  mutex.value.store(ValueWord::make(next != 0 ? next : 1, size, spare).raw,
                    std::memory_order_release);
  return CommitResult::kOk;
}

std::string_view value_bytes(const SegmentView& view, const MutexRecord& mutex) {
  const ValueWord now = load_value(mutex);
  const Word64* words = words_of(view, mutex, now.copy(), now.bytes());
  if (words == nullptr) return {};
  return {reinterpret_cast<const char*>(words), now.bytes()};
}

bool copy_value(const SegmentView& view, const MutexRecord& mutex, std::string* bytes,
                ValueWord* word, uint32_t most_bytes) {
  for (int tries = 0; tries < kCopyTries; ++tries) {
    const ValueWord before = load_value(mutex);
    const Word64* words = words_of(view, mutex, before.copy(), before.bytes());
    const uint32_t count = std::min(before.bytes(), most_bytes);
    if (words != nullptr) {
      bytes->resize(count);
      read_words(words, bytes->data(), count);
    }
    // Every byte was read before the word is looked at again: commit_value's fence is the other
    // half. Where the copy lies (`runs`) was read before it, too.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (mutex.value.load(std::memory_order_relaxed) != before.raw) continue;
    if (words == nullptr) return false;
    *word = before;
    return true;
  }
  return false;
}

uint32_t value_limit_bytes(const SegmentView& view) {
  return std::min(view.header().value_limit_bytes.load(std::memory_order_relaxed),
                  ValueWord::kMaxBytes);
}

}  // namespace oxpool::shm
