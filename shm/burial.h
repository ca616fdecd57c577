// Freeing everything that a dead process owned.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// What burial freed, for logs.
struct Burial {
  uint32_t lanes = 0;
  uint32_t slots = 0;
  uint32_t tickets = 0;
  uint32_t seats = 0;
  bool complete = true;  // false: a lock could not be had in time; call again later
};

// Frees the slots and unlinks the tickets of one dead lane at one pool, then serves. The caller has
// made sure that the lane is dead *and* that its process's sockets are closed (or that 50 ms have
// passed since its token went). Idempotent: death at any step leaves what the next call finishes.
void bury_lane_at_pool(const PoolLock& lock, OwnerId lane, Burial* burial);

// Everything of a dead process: its lanes' slots, tickets and seats at every pool, its lanes, at
// last its record. Called by the daemon. Waits at most `lock_patience_ns` for each lock it needs,
// and for none any more once one could not be had.
Burial bury_process(const SegmentView& view, const LockContext& context, uint32_t process,
                    uint64_t incarnation, int64_t now_ns,
                    int64_t lock_patience_ns = kLockPatienceNs);

// Buries at this pool every owner of a slot or queued ticket whose incarnation is gone from its
// lane: what a burial that was itself cut short has left. Returns the number of units freed. The
// net under everything else, called now and then by the daemon.
uint32_t bury_strays_at_pool(const PoolLock& lock);

}  // namespace oxpool::shm
