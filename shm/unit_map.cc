#include "shm/unit_map.h"

#include <algorithm>
#include <bit>

namespace oxpool::shm {

namespace {

constexpr uint32_t kBitsPerWord = 64;

// The map's word that has the unit's bit; a view's tables are as long as each other needs.
Word64& word_of(const SegmentView& view, uint32_t unit) {
  UnitMapRecord& map = *view.unit_map(unit / kUnitsPerMap);
  return map.used[unit % kUnitsPerMap / kBitsPerWord];
}

bool is_used(const SegmentView& view, uint32_t unit) {
  return (word_of(view, unit).load(std::memory_order_relaxed) >> (unit % kBitsPerWord) & 1) != 0;
}

void mark(const SegmentView& view, UnitRun run, bool used) {
  for (uint32_t i = 0; i < run.units; ++i) {
    Word64& word = word_of(view, run.first + i);
    const uint64_t bit = uint64_t{1} << ((run.first + i) % kBitsPerWord);
    const uint64_t now = word.load(std::memory_order_relaxed);
    word.store(used ? now | bit : now & ~bit, std::memory_order_relaxed);
  }
}

// The lowest free run of that length.
bool find_free(const SegmentView& view, uint32_t units, UnitRun* found) {
  const uint32_t count = view.count(kUnitTable);
  uint32_t length = 0;
  for (uint32_t unit = 0; unit < count; ++unit) {
    // A whole word of used ones at a time.
    if (unit % kBitsPerWord == 0 &&
        word_of(view, unit).load(std::memory_order_relaxed) == UINT64_MAX) {
      length = 0;
      unit += kBitsPerWord - 1;
      continue;
    }
    length = is_used(view, unit) ? 0 : length + 1;
    if (length < units) continue;
    *found = {unit + 1 - units, units};
    return true;
  }
  return false;
}

UnitRun run_of(const SegmentView& view, const MutexRecord& mutex, uint32_t copy) {
  const UnitRun run = UnitRun::of(mutex.runs[copy].load(std::memory_order_relaxed));
  return view.has_units(run) ? run : UnitRun{};
}

}  // namespace

bool replace_run(const ValueLock& lock, MutexRecord& mutex, uint32_t copy, uint32_t units) {
  const SegmentView& view = lock.view();
  if (units > view.count(kUnitTable)) return false;
  const UnitRun old = run_of(view, mutex, copy);
  mark(view, old, false);  // the new one may lie where the old one did
  UnitRun found;
  if (units != 0 && !find_free(view, units, &found)) {
    mark(view, old, true);
    return false;
  }
  mark(view, found, true);
  // Release: who reads this copy by an older version sees by then that it does not count any more.
  mutex.runs[copy].store(found.raw(), std::memory_order_release);
  return true;
}

void rebuild_unit_map(const ValueLock& lock) {
  const SegmentView& view = lock.view();
  for (uint32_t i = 0; i < view.count(kUnitMapTable); ++i) {
    for (Word64& word : view.unit_map(i)->used) word.store(0, std::memory_order_relaxed);
  }
  uint32_t left = view.count(kUnitTable);  // records that were scribbled on may claim more
  const auto mark_if_any_is_left = [&](UnitRun run) {
    if (run.units > left) return;
    left -= run.units;
    mark(view, run, true);
  };
  for (uint32_t i = 0; i < view.high_water(kMutexTable); ++i) {
    const MutexRecord& mutex = *view.mutex(i);
    if (mutex.state.load(std::memory_order_relaxed) == static_cast<uint32_t>(RecordState::kFree)) {
      continue;
    }
    mark_if_any_is_left(run_of(view, mutex, 0));
    mark_if_any_is_left(run_of(view, mutex, 1));
  }
}

uint32_t used_units(const SegmentView& view) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < view.count(kUnitMapTable); ++i) {
    for (const Word64& word : view.unit_map(i)->used) {
      used += static_cast<uint32_t>(std::popcount(word.load(std::memory_order_relaxed)));
    }
  }
  return std::min(used, view.count(kUnitTable));
}

}  // namespace oxpool::shm
