// Whether a segment that nobody uses is fit to be used.
#pragma once

#include <string>

#include "shm/locks.h"

namespace oxpool::shm {

// For a segment to which nobody but the steward is attached, and whose dead are buried. Repairs
// what repair can, and returns what is wrong all the same: something still belongs to somebody, a
// lock can not be had, records contradict each other. That is damage, and nothing would ever mend
// it. "" = sound. What is returned ends a sentence that begins with the segment.
std::string find_damage_at_rest(const SegmentView& view, const LockContext& steward);

}  // namespace oxpool::shm
