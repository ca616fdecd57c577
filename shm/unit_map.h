// The value area: which of its units belong to which copy of a value.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Every unit is free, or is named by exactly one copy of one mutex (MutexRecord::runs). The map
// says the same in a bit each, so that finding room is quick; it is changed before and after the
// record, under the value lock alone, and whoever inherits that lock from a dead one makes it anew.

// Gives the copy a run of `units` units instead of the one that it has; its bytes are lost.
// 0 = none. False: there is no such run, and nothing was changed. The copy may not be the one that
// counts.
bool replace_run(const ValueLock& lock, MutexRecord& mutex, uint32_t copy, uint32_t units);

// Makes the map anew from the records of all mutexes.
void rebuild_unit_map(const ValueLock& lock);

// Units that are some copy's, counted in the map. Lock-free; any thread.
uint32_t used_units(const SegmentView& view);

}  // namespace oxpool::shm
