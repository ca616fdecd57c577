// Which line of PHP code runs now, as the shared segment keeps it (shm/place.h).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine.h"
#include "shm/segment.h"

namespace oxpool::php {

// Remembers what was noted for a line, so that the same line costs a look into a table.
// Thread safety: one thread, the worker's.
class PlaceCache {
 public:
  // The hash of "FILE:LINE in SCRIPT" of the code that called into the extension. Takes no PHP
  // memory and runs no PHP code.
  uint64_t current(const shm::SegmentView& view);

 private:
  std::unordered_map<uint64_t, uint64_t> hash_of_line_;
  uint64_t last_line_ = 0;  // a loop acquires from one line
  uint64_t last_hash_ = 0;
};

}  // namespace oxpool::php
