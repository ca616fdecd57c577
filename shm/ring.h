// Waits without limit that could never end.
#pragma once

#include "shm/liveness.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Whether the lane that waits with `ticket` waits in a ring: every unit of the pool it waits at is
// in the hands of lanes that wait without limit themselves, for pools of which the same is true. Of
// all in the ring only the one who began to wait last is told so (true); when that one gives up,
// the others go on.
//
// A wait with a deadline, a unit that is free, idle or granted, and a lane that does something else
// than wait, or is dead, are no part of a ring. The words that were read are read twice, so what
// changed meanwhile makes no ring.
//
// Lock-free; work in proportion to the pools and lanes in the ring, and nearly none when the first
// holder does not wait. Safe on a segment that was scribbled on.
bool is_last_of_a_ring(const SegmentView& view, const Liveness& liveness, uint32_t ticket);

}  // namespace oxpool::shm
