// What this program takes of the machine.
#pragma once

#include <cstdint>

namespace oxpool::daemon {

struct ProcessUse {
  double cpu_seconds = 0;
  uint64_t resident_bytes = 0;  // pages of segments that were touched count, too
  double started_unix_seconds = 0;
};

// Any thread. What the kernel does not tell stays 0.
ProcessUse process_use();

}  // namespace oxpool::daemon
