// Finds units of budget whose owner is gone without having been buried.
#pragma once

#include <cstdint>

#include "daemon/namespace_segment.h"

namespace oxpool::daemon {

// A burial that was cut short can leave a slot to a lane that no longer exists. One pool is looked
// at per call, without a lock; only when there is such a slot is the pool's lock taken.
//
// Thread safety: none; the daemon's main thread.
class StrayNet {
 public:
  // Looks at the next pool. Returns the number of units freed.
  uint32_t step(NamespaceSegment& segment);

 private:
  uint32_t next_ = 0;
};

}  // namespace oxpool::daemon
