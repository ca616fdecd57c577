// Keeps the number of processes at each pool's accept gate right: who died there left it one too
// high.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "shm/segment.h"

namespace oxpool::daemon {

// Thread safety: none; the daemon's main thread.
class GateWatch {
 public:
  void run(const shm::SegmentView& view);

 private:
  std::unordered_map<uint32_t, uint64_t> seen_;  // by pool record, see shm::recount_gated
};

}  // namespace oxpool::daemon
