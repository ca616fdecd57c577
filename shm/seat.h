// Seats: a lane's place at a pool, and where its counts go when it leaves.
#pragma once

#include <cstdint>

#include "shm/locks.h"
#include "shm/pool_table.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Gives `owner` a seat at a live pool, all counts 0. kNoSeat when the table is full.
PoolResult take_seat(const TableLock& lock, uint32_t pool, OwnerId owner, uint32_t* seat);

// Folds the seat's counts into the pool's, exactly once, and frees the seat. The lane must own
// nothing at the pool any more. A pool whose name was removed goes with its last seat.
void leave_seat(const TableLock& lock, uint32_t seat, int64_t now_ns);

// Finishes a seat that was left half built or half removed.
void finish_seat_removal(const TableLock& lock, SeatRecord& seat);

// Recounts every pool's attached seats, and since when there are none.
void count_seats(const TableLock& lock);

// Adds to a counter of one's own seat. One writer, so no read-modify-write is needed.
inline void count(Word64& word, uint64_t increment = 1) {
  word.store(word.load(std::memory_order_relaxed) + increment, std::memory_order_relaxed);
}
inline void count(SeatRecord& seat, Counter counter, uint64_t increment = 1) {
  count(seat.counts.counters[static_cast<uint8_t>(counter)], increment);
}
inline void count_closed(SeatRecord& seat, CloseReason reason, uint64_t increment = 1) {
  count(seat.counts.evicted[static_cast<uint8_t>(reason)], increment);
}

}  // namespace oxpool::shm
