// Who looks after a segment, and alone buries the dead in it.
#pragma once

#include <cstdint>
#include <string_view>

#include "shm/liveness.h"
#include "shm/robust_mutex.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Process record 0 and lane 0 of a segment, had by scope. The right to them is the lock file's byte
// 0 (take_token of kDaemonProcess), which the caller holds before, meanwhile and after. The daemon
// has it as long as it lives; a process that has no daemon, for the length of one burial. Whoever
// dies as the steward leaves what the next one finds: an owner whose byte is unlocked.
//
// Thread safety: none.
class Steward {
 public:
  // `token` is the descriptor that holds byte 0. `now_ns` is of the segment's clock.
  Steward(const SegmentView& view, int token, std::string_view program, int64_t now_ns);
  ~Steward();
  Steward(const Steward&) = delete;
  Steward& operator=(const Steward&) = delete;

  // As which it locks.
  const LockContext& locks() const { return locks_; }
  // Whether its record and its lane are as it left them. Nobody else writes there but to do harm,
  // and without them the steward could not have any lock.
  bool in_place() const;

 private:
  const SegmentView view_;
  Liveness liveness_;
  uint64_t incarnation_;
  LockContext locks_;
};

}  // namespace oxpool::shm
