// Waits that could never end.
#pragma once

#include <string>

#include "shm/liveness.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Whether the lane that waits with `ticket`, for a pool or a mutex, is in a ring: whoever has what
// it waits for waits as well, for what others have who wait, and so on, round to itself. Of all who
// are met on that way only the one who began to wait last is told so (true); when that one gives
// up, the others go on. *names (may be null) says then who waits for what: "mutex 'a', which worker
// 12/3 has; …".
//
//   mutex   has one holder. A wait for it counts whether or not it has a deadline.
//   pool    has many: every unit must be in the hands of those who wait, so the whole is a knot
//           rather than a ring. A wait for it counts only without a deadline; a unit that is free,
//           idle or granted breaks it.
//
// A lane that does something else than wait, or is dead, is no part of it. Whatever was read is
// read a second time: who waits in the same round of the same ticket has waited all the time in
// between, so at that moment all of it was true at once. (Comparing who holds what alone gave rings
// that never were: a lock can have been given back and taken again.)
//
// Lock-free; work in proportion to the pools and lanes in the ring, and nearly none when the first
// holder does not wait. Safe on a segment that was scribbled on.
bool is_last_of_a_ring(const SegmentView& view, const Liveness& liveness, uint32_t ticket,
                       std::string* names = nullptr);

}  // namespace oxpool::shm
