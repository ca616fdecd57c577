// Finds the dead of whom no alarm told: the net under the reaper.
#pragma once

#include <cstdint>

#include "daemon/namespace_segment.h"
#include "daemon/reaper.h"

namespace oxpool::daemon {

// Asks in turn whether the token of each attached process of one segment is held, and alarms the
// reaper when it is not. Most of those it finds were attached to an earlier daemon and have no
// session here.
//
// Thread safety: none; the daemon's main thread.
class TokenSweep {
 public:
  // Goes on where the last call ended. So many calls go once round all processes; each does its
  // share, so that no single one takes long.
  void step(const NamespaceSegment& segment, uint32_t calls_per_round, Reaper* reaper);

 private:
  uint32_t next_ = shm::kDaemonProcess + 1;
};

}  // namespace oxpool::daemon
