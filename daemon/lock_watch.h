// Notices workers that are stopped inside a lock of the segment.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shm/owner_id.h"
#include "shm/segment.h"

namespace oxpool::daemon {

struct FrozenLock {
  static constexpr uint32_t kTables = shm::kNoIndex;  // the lock of the tables
  static constexpr uint32_t kValues = kTables - 1;    // that of the values of mutexes

  uint32_t pool = kTables;  // its record, or one of the two above
  shm::OwnerId owner;
  int64_t held_ns = 0;  // at least
};

// The locks of one segment. Who is inside at kLooks looks in a row, over kPatienceNs at least, is
// taken to be frozen: holders stay for microseconds, so being seen even twice is rare.
//
// Thread safety: none; the daemon's main thread.
class LockWatch {
 public:
  static constexpr uint32_t kLooks = 8;
  static constexpr int64_t kPatienceNs = 1'000'000'000;

  // One look at `now_ns`, a load for each live pool. Lock-free; safe on a segment that was
  // scribbled on.
  void look(const shm::SegmentView& view, int64_t now_ns);

  std::vector<FrozenLock> frozen() const;

 private:
  struct Held {
    shm::OwnerId owner;
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    uint32_t looks = 0;
  };

  void note(uint32_t pool, const shm::Word64& lock, int64_t now_ns);

  std::unordered_map<uint32_t, Held> held_;  // by pool record, as in FrozenLock
};

}  // namespace oxpool::daemon
