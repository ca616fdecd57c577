// Freeing everything that a dead process owned.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/segment.h"

namespace oxpool::shm {

// A dead process's sockets close right after its token. Where nobody sees the process's end, they
// get this long.
inline constexpr int64_t kSocketsCloseNs = 50'000'000;

// What burial freed, for logs.
struct Burial {
  uint32_t lanes = 0;
  uint32_t slots = 0;
  uint32_t tickets = 0;
  uint32_t seats = 0;
  bool complete = true;  // false: a lock could not be had in time; call again later
  bool more = false;  // not complete because `most_lanes` were buried: the rest can follow at once
};

// Frees the slots and unlinks the tickets of one dead lane at one pool, then serves. The caller has
// made sure that the lane is dead *and* that its process's sockets are closed (or that
// kSocketsCloseNs have passed since its token went). Idempotent: death at any step leaves what the
// next call finishes.
void bury_lane_at_pool(const PoolLock& lock, OwnerId lane, Burial* burial);

// Everything of a dead process: its lanes' slots, tickets and seats at every pool and mutex, the
// mutexes that they held, its lanes, at
// last its record if that is still this life's. Called by the segment's steward. Waits at most
// `lock_patience_ns` for each lock it needs, and for none any more once one could not be had.
// Buries `most_lanes` at a time.
Burial bury_process(const SegmentView& view, const LockContext& context, uint32_t process,
                    uint64_t incarnation, int64_t now_ns,
                    int64_t lock_patience_ns = kLockPatienceNs, uint32_t most_lanes = UINT32_MAX);

// Buries at this pool every owner of a slot or queued ticket whose incarnation is gone from its
// lane: what a burial that was itself cut short has left. Returns the number of units freed. The
// net under everything else, called now and then by the daemon.
uint32_t bury_strays_at_pool(const PoolLock& lock);

}  // namespace oxpool::shm
