#include "shm/seat.h"

#include "shm/clock.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t raw(RecordState state) { return static_cast<uint32_t>(state); }

// The sum is made in the copy that does not count, and one word switches over. So a reader never
// sees it go down, and who dies before or after the switch leaves a seat that tells which.
void fold(PoolRecord& pool, SeatRecord& seat) {
  const uint64_t serial = seat.serial.load(std::memory_order_relaxed);
  const uint64_t now = pool.fold.load(std::memory_order_relaxed);
  if (now >> 1 == serial) return;  // folded already, by one who died before freeing the seat
  const uint64_t current = now & 1;
  zip_counters(
      [](Word64& sum, Word64& next, Word64& add) {
        next.store(sum.load(std::memory_order_relaxed) + add.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
      },
      pool.folded[current], pool.folded[1 - current], seat.counts);
  pool.fold.store(serial << 1 | (1 - current), std::memory_order_release);
}

void free_seat(const TableLock& lock, SeatRecord& seat) {
  seat.owner.store(0, std::memory_order_relaxed);
  seat.state.store(raw(RecordState::kFree), std::memory_order_release);
  Word32& hint = lock.view().header().lowest_free[kSeatTable];
  const uint32_t index = lock.view().index_of(seat);
  if (index < hint.load(std::memory_order_relaxed)) hint.store(index, std::memory_order_relaxed);
}

PoolRecord* pool_of(const SegmentView& view, const SeatRecord& seat) {
  PoolRecord* pool = view.pool(seat.pool.load(std::memory_order_relaxed));
  const bool same = pool != nullptr && pool->id.load(std::memory_order_relaxed) ==
                                           seat.pool_id.load(std::memory_order_relaxed);
  return same ? pool : nullptr;
}

}  // namespace

PoolResult take_seat(const TableLock& lock, uint32_t pool_index, OwnerId owner, uint32_t* result) {
  const SegmentView& view = lock.view();
  PoolRecord& pool = *view.pool(pool_index);
  Word32& hint = view.header().lowest_free[kSeatTable];
  for (uint32_t i = hint.load(std::memory_order_relaxed); i < view.count(kSeatTable); ++i) {
    SeatRecord& seat = *view.seat(i);
    if (seat.state.load(std::memory_order_relaxed) != raw(RecordState::kFree)) continue;
    hint.store(i + 1, std::memory_order_relaxed);
    view.raise_high_water(kSeatTable, i + 1);
    seat.state.store(raw(RecordState::kBuilding), std::memory_order_release);
    clear_counts(seat.counts);
    seat.pool.store(pool_index, std::memory_order_relaxed);
    seat.pool_id.store(pool.id.load(std::memory_order_relaxed), std::memory_order_relaxed);
    seat.owner.store(owner.raw, std::memory_order_relaxed);
    seat.serial.store(view.header().next_seat_serial.fetch_add(1, std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
    seat.state.store(raw(RecordState::kLive), std::memory_order_release);
    pool.seats.store(pool.seats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    pool.unattached_since_ns.store(0, std::memory_order_relaxed);
    *result = i;
    return PoolResult::kOk;
  }
  return PoolResult::kNoSeat;
}

void leave_seat(const TableLock& lock, uint32_t index, int64_t now_ns) {
  SeatRecord& seat = *lock.view().seat(index);
  if (seat.state.load(std::memory_order_relaxed) != raw(RecordState::kLive)) return;
  seat.state.store(raw(RecordState::kRemoving), std::memory_order_release);
  PoolRecord* pool = pool_of(lock.view(), seat);
  finish_seat_removal(lock, seat);
  if (pool == nullptr) return;
  const uint32_t seats = pool->seats.load(std::memory_order_relaxed);
  if (seats > 0) pool->seats.store(seats - 1, std::memory_order_relaxed);
  if (seats > 1) return;
  pool->unattached_since_ns.store(now_ns, std::memory_order_relaxed);
  // Nobody can find it any more.
  if ((pool->naming.load(std::memory_order_relaxed) & kNameRemoved) != 0) remove_pool(lock, *pool);
}

void finish_seat_removal(const TableLock& lock, SeatRecord& seat) {
  if (seat.state.load(std::memory_order_relaxed) == raw(RecordState::kRemoving)) {
    if (PoolRecord* pool = pool_of(lock.view(), seat)) fold(*pool, seat);
  }
  free_seat(lock, seat);
}

void count_seats(const TableLock& lock) {
  const SegmentView& view = lock.view();
  const uint32_t pools = view.high_water(kPoolTable);
  for (uint32_t i = 0; i < pools; ++i) view.pool(i)->seats.store(0, std::memory_order_relaxed);
  const uint32_t seats = view.high_water(kSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    const SeatRecord& seat = *view.seat(i);
    if (seat.state.load(std::memory_order_relaxed) != raw(RecordState::kLive)) continue;
    if (PoolRecord* pool = pool_of(view, seat)) {
      pool->seats.store(pool->seats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  // Whoever died inside may have sat down or left without saying so.
  const int64_t now_ns = monotonic_ns();
  for (uint32_t i = 0; i < pools; ++i) {
    PoolRecord& pool = *view.pool(i);
    const bool attached = pool.seats.load(std::memory_order_relaxed) != 0;
    const bool said_so = pool.unattached_since_ns.load(std::memory_order_relaxed) == 0;
    if (attached != said_so) {
      pool.unattached_since_ns.store(attached ? 0 : now_ns, std::memory_order_relaxed);
    }
  }
}

}  // namespace oxpool::shm
