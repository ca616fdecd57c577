#include "shm/liveness.h"

#include "shm/token.h"

namespace oxpool::shm {

bool Liveness::dead(OwnerId lane_id) const {
  const LaneRecord* lane = view_.lane(lane_id.lane());
  if (lane == nullptr) return true;  // no such lane can ever have attached
  if (lane->incarnation.load(std::memory_order_acquire) != lane_id.incarnation()) return true;
  const OwnerId claim{lane->claim.load(std::memory_order_acquire)};
  return process_dead(claim.lane(), claim.incarnation());
}

bool Liveness::process_dead(uint32_t process, uint64_t incarnation) const {
  const ProcessRecord* record = view_.process(process);
  if (record == nullptr) return true;
  if (record->incarnation.load(std::memory_order_acquire) != incarnation) return true;
  if (process == own_process_ && incarnation == own_incarnation_) return false;
  return !token_held(probe_fd_, process);
}

}  // namespace oxpool::shm
