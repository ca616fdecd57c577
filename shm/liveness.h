// Who is alive: the one question that recovery is built on.
#pragma once

#include <cstdint>

#include "shm/segment.h"

namespace oxpool::shm {

// Answers for one process whether owners named in words of the segment still live.
//
// Invariants:
//  1. A lane whose incarnation differs from the one named is dead: incarnations are never reused.
//  2. A lane of this very process is alive while its incarnation stands.
//  3. Any other lane lives as long as its process's byte of the lock file is locked.
// So nobody is taken for dead whose token is held, whatever it does or does not do.
//
// Thread safety: const calls from any thread. Does not own `probe_fd`.
class Liveness {
 public:
  Liveness() = default;
  // `probe_fd`: see token_held. `own_process`, `own_incarnation`: the record of the asking process.
  Liveness(const SegmentView& view, int probe_fd, uint32_t own_process, uint64_t own_incarnation)
      : view_(view),
        probe_fd_(probe_fd),
        own_process_(own_process),
        own_incarnation_(own_incarnation) {}

  // One system call at most.
  bool dead(OwnerId lane) const;
  bool process_dead(uint32_t process, uint64_t incarnation) const;

 private:
  SegmentView view_;
  int probe_fd_ = -1;
  uint32_t own_process_ = kNoIndex;
  uint64_t own_incarnation_ = 0;
};

}  // namespace oxpool::shm
