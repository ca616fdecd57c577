#include "daemon/token_sweep.h"

namespace oxpool::daemon {

void TokenSweep::step(const NamespaceSegment& segment, uint32_t calls_per_round, Reaper* reaper) {
  const uint32_t end = segment.view().high_water(shm::kProcessTable);
  const uint32_t share = end / calls_per_round + 1;
  for (uint32_t i = 0; i < share; ++i) {
    if (next_ >= end) {
      next_ = shm::kDaemonProcess + 1;
      return;  // the next round begins with the next call
    }
    const uint32_t process = next_++;
    const uint64_t incarnation =
        segment.view().process(process)->incarnation.load(std::memory_order_acquire);
    if (incarnation == 0 || segment.token_held(process)) continue;
    reaper->alarm({segment.serial(), process, incarnation});
  }
}

}  // namespace oxpool::daemon
