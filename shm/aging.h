// Which idle slots have been there for too long.
#pragma once

#include <cstdint>

#include "shm/segment.h"

namespace oxpool::shm {

// A time of a pool's settings in nanoseconds. What was written there is not trusted: one that is
// longer than anybody means is cut, and multiplies without overflow.
int64_t age_ns(const Word64& milliseconds);

// Since when the slot has been in use, or idle. Not trusted either: never in the future.
int64_t unchanged_since_ns(const SlotRecord& slot, int64_t now_ns);

// Flags the pool's slots that have been idle for longer than its idle timeout, but leaves the most
// recently used min_idle ones, and those whose lifetime is over. Counts them in *flagged. Returns
// when the next one can be due; kNoDeadline = not before the pool's settings change. While nothing
// is idle that is after the shorter of both times: nothing that comes back later can be due
// earlier.
//
// Lock-free; work in proportion to the pool's slots. Safe on a segment that was scribbled on.
int64_t flag_overdue(const SegmentView& view, const PoolRecord& pool, int64_t now_ns,
                     uint32_t* flagged);

}  // namespace oxpool::shm
