// Making a pool or the tables whole again after a lock's holder died inside.
#pragma once

#include <cstdint>

#include "shm/locks.h"

namespace oxpool::shm {

// Under the lock of a pool whose last holder died: rebuilds the queue from the tickets' own
// records, finishes or voids half-made grants, counts pressure anew, restores hints, then serves.
// RECOVERY.md says for each step of each slow path what this finds.
void repair_pool(const PoolLock& lock);

// Under the table lock whose last holder died: frees records that were being built or taken apart,
// chunks that no pool lists, and counts seats anew; mutexes and their seats likewise.
void repair_tables(const TableLock& lock);

}  // namespace oxpool::shm
