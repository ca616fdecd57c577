// Removes the records of pools that nobody has been attached to for long.
#pragma once

#include <chrono>
#include <cstdint>

#include "daemon/namespace_segment.h"
#include "daemon/pool_agenda.h"

namespace oxpool::daemon {

// A pool's record outlives its last worker, so that the next request finds the same pool with its
// id and counters; this ends it.
//
// Thread safety: none; the daemon's main thread.
class Linger {
 public:
  Linger();

  // One turn. Returns how many records were removed. Takes the table lock only to remove one.
  uint32_t run(NamespaceSegment& segment, std::chrono::seconds linger, int64_t now_ns);

 private:
  int64_t examine(NamespaceSegment& segment, shm::PoolRecord& pool, int64_t now_ns,
                  uint32_t* removed) const;

  PoolAgenda agenda_;
  int64_t linger_ns_ = -1;  // of the last turn
};

}  // namespace oxpool::daemon
