// What only the daemon itself knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oxpool::daemon::admin {

struct FrozenLockFact {
  std::string namespace_name;
  uint32_t pool = 0;  // as daemon::FrozenLock has it
  uint64_t owner = 0;
  int64_t held_ns = 0;
};

struct Facts {
  std::string runtime_dir;
  std::string http;  // ADDR:PORT or "off"
  std::vector<std::string> troubles;
  uint64_t new_segment_bytes = 0;
  uint32_t sessions = 0;
  int64_t started_ns = 0;
  int64_t loop_late_ns = 0;
  int64_t loop_late_max_ns = 0;
  std::vector<FrozenLockFact> frozen_locks;
};

}  // namespace oxpool::daemon::admin
