// Mutexes as somebody sees them who looks from outside.
#pragma once

#include <cstdint>
#include <vector>

#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/segment.h"
#include "shm/unit_map.h"

namespace oxpool::shm {

// All of these are lock-free and read-only, of slightly different instants, and safe on a segment
// that was scribbled on. Any thread. Beside them: for_each_live_mutex (mutex_table.h), copy_value
// (value.h), used_units (unit_map.h), reset_mutex (mutex_lock.h).

// How many wait for the lock.
uint32_t count_lock_waiters(const SegmentView& view, const MutexRecord& mutex);
// The same of all mutexes at once, indexed by record, in one walk over the tickets.
std::vector<uint32_t> count_lock_waiters(const SegmentView& view);

struct MutexSums {
  uint64_t acquires = 0;
  uint64_t contended = 0;  // of these: the lock was not free at once
  int64_t last_ns = 0;     // when somebody last got the lock, by a clock of some milliseconds
  uint32_t seats = 0;      // attached lanes
};
// Sums of every live mutex, those of lanes that left included, indexed by record, in one walk over
// the seats. acquires and contended never go down from one call to the next while the record lives.
void sum_mutexes(const SegmentView& view, std::vector<MutexSums>* result);
MutexSums sum_mutex(const SegmentView& view, const MutexRecord& mutex);

// Whether nobody gets the lock because a holder died.
inline bool is_corrupted(const MutexRecord& mutex) {
  return load_mutex(mutex).has(MutexWord::kCorrupted);
}
// Whether its name was removed: it lives for those who have it, and no name leads to it.
inline bool is_removed(const MutexRecord& mutex) {
  return load_mutex(mutex).has(MutexWord::kRemoved);
}
// Whoever has the lock; nobody otherwise. worker_name (inspection.h) says who that is.
inline OwnerId holder(const MutexRecord& mutex) { return load_mutex(mutex).owner(); }

// Bytes of the segment that are there for it: record, seats, units of both copies.
uint64_t mutex_bytes(const SegmentView& view, const MutexRecord& mutex, uint32_t seats);

}  // namespace oxpool::shm
