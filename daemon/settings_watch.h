// Says when workers ask for different settings of one pool.
#pragma once

#include <cstdint>
#include <set>

#include "daemon/namespace_segment.h"
#include "daemon/pool_agenda.h"

namespace oxpool::daemon {

// The worker that started later wins, which a rolling deploy wants; a worker that was forgotten
// with old settings is what people look for. Each process is told of once.
//
// Thread safety: none; the daemon's main thread.
class SettingsWatch {
 public:
  SettingsWatch();

  // One turn; notices within a second. Returns how many processes it told of.
  // Lock-free; safe on a segment that was scribbled on.
  uint32_t run(const NamespaceSegment& segment, int64_t now_ns);

 private:
  PoolAgenda agenda_;
  std::set<uint64_t> told_;  // started_serial
};

}  // namespace oxpool::daemon
