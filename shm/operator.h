// What an operator changes at a pool. Nothing here interrupts a holder.
#pragma once

#include <cstdint>

#include "shm/gate.h"
#include "shm/locks.h"
#include "shm/pool_table.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Sets the cap that stands above what workers ask for; 0 = theirs counts again. Units above a
// lowered cap go when they come back. Errors: kTooLarge, kNoChunk (nothing is changed), kTimeout
// (the table lock could not be had in `lock_patience_ns`; nothing is changed).
PoolResult resize_pool(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                       uint32_t max_size, int64_t lock_patience_ns);

// Asks for every idle slot of the pool to be closed by its owner. Returns how many were asked for
// now. Lock-free.
uint32_t flag_all_idle(const SegmentView& view, const PoolRecord& pool, CloseReason reason);

}  // namespace oxpool::shm
