#include "shm/steward.h"

#include <unistd.h>

#include "shm/lane.h"

namespace oxpool::shm {

Steward::Steward(const SegmentView& view, int token, std::string_view program, int64_t now_ns)
    : view_(view) {
  incarnation_ = publish_process(view_, kDaemonProcess, static_cast<uint32_t>(getpid()), geteuid(),
                                 program, now_ns);
  liveness_ = Liveness(view_, token, kDaemonProcess, incarnation_);
  locks_.liveness = &liveness_;
  locks_.me = open_lane_at(view_, kDaemonLane, kDaemonProcess, incarnation_,
                           static_cast<uint32_t>(gettid()));
}

bool Steward::in_place() const {
  const LaneRecord& lane = *view_.lane(kDaemonLane);
  return view_.process(kDaemonProcess)->incarnation.load(std::memory_order_relaxed) ==
             incarnation_ &&
         lane.claim.load(std::memory_order_relaxed) ==
             OwnerId::make(kDaemonProcess, incarnation_).raw &&
         lane.incarnation.load(std::memory_order_relaxed) == locks_.me.incarnation();
}

Steward::~Steward() {
  close_lane(view_, locks_.me);
  clear_process(view_, kDaemonProcess);
}

}  // namespace oxpool::shm
