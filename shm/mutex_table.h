// Which mutexes exist: finding, making and removing their records; seats at them.
#pragma once

#include <cstdint>
#include <string_view>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// What a worker asks of a mutex when it attaches. Of one that exists everything but `given_name` is
// ignored: it is as its maker wanted it.
struct MutexRequest {
  bool given_name = false;  // not one that a place in the code gave: it stays until it is removed
  OnOwnerDeath on_owner_death = OnOwnerDeath::kCorrupt;
  std::string_view initial;  // any bytes; the first version of the value
  bool must_exist = false;   // do not make one
};

enum class MutexResult {
  kOk,
  kNoMutex,     // the mutex table is full
  kNoSeat,      // the table of seats at mutexes is full
  kNoUnits,     // the value area has no room for the value
  kTooLarge,    // the value is above the segment's limit, or a name above kNameBytes
  kWrongType,   // the name is a pool's
  kNoSuchName,  // must_exist, and nothing has the name
  kTimeout,     // a lock could not be had in time: somebody is stopped inside
};

// Acquire: what the record was filled with is seen.
inline bool is_live(const MutexRecord& mutex) {
  return mutex.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RecordState::kLive);
}

// Calls visit(MutexRecord&) for every live mutex, in the order of their records; also for those
// whose name was removed, as long as somebody is attached. Lock-free.
template <typename Visit>
void for_each_live_mutex(const SegmentView& view, Visit visit) {
  const uint32_t mutexes = view.high_water(kMutexTable);
  for (uint32_t i = 0; i < mutexes; ++i) {
    if (is_live(*view.mutex(i))) visit(*view.mutex(i));
  }
}

// The live mutex of that id; nullptr when there is none. Lock-free.
MutexRecord* find_live_mutex(const SegmentView& view, uint64_t id);

// Index of the live mutex of that name (any bytes, ≤ kNameBytes), or kNoIndex.
uint32_t find_mutex(const TableLock& lock, std::string_view name);

// Finds the mutex or makes it, with version 1 of its value. *made (may be null) says which.
MutexResult find_or_make_mutex(const TableLock& lock, std::string_view name,
                               const MutexRequest& request, int64_t now_ns, uint32_t* index,
                               bool* made = nullptr);

// Gives `owner` a seat at a live mutex, all counts 0.
MutexResult take_mutex_seat(const TableLock& lock, uint32_t mutex, OwnerId owner, uint32_t* seat);

// Folds the seat's counts into the mutex's, exactly once, and frees the seat. The lane must neither
// have the lock nor wait for it. A mutex without a given name goes with its last seat, and so does
// one whose name was removed.
void leave_mutex_seat(const TableLock& lock, uint32_t seat);

// Removes the mutex's name: nobody gets its lock any more, and who waits for it is woken. The
// record goes when nobody is attached to it, at once or with the last seat.
void remove_mutex_name(const TableLock& lock, MutexRecord& mutex);

// Removes a mutex that nobody is attached to and whose name does not keep it: its units go back,
// its record is free. Also for one that was made a moment ago and got no seat.
void remove_mutex_unless_pinned(const TableLock& lock, MutexRecord& mutex);

// After a death with the table lock in hand: frees mutexes and seats that were half made or half
// removed, counts seats anew.
void repair_mutex_tables(const TableLock& lock);

}  // namespace oxpool::shm
