// The names that people gave to what is in the segment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Frees the name of the pool or the mutex that has it: the next one to ask for it makes another.
// Who is attached to the pool goes on, and nobody gets the mutex any more; the record goes with the
// last of them. False: nothing has the name.
bool remove_name(const TableLock& lock, std::string_view name);

// The names that were given and not removed, in no particular order.
std::vector<std::string> given_names(const TableLock& lock);

// What lives: mutexes, and pools that somebody is attached to or that have a given name. A record
// that only waits for the next worker of its place in the code is not counted.
struct RegistryTotals {
  uint32_t pools = 0;
  uint32_t mutexes = 0;
  uint64_t bytes = 0;        // of the segment, for all of them
  uint64_t mutex_bytes = 0;  // of these: for mutexes and their values
};
RegistryTotals count_registry(const TableLock& lock);

}  // namespace oxpool::shm
