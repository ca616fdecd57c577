#include "shm/burial.h"

#include "shm/lane.h"
#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/slot.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);

// The dead lane's own seat at the pool, where its lost slots are counted.
SeatRecord* seat_of(const SegmentView& view, const PoolRecord& pool, OwnerId owner) {
  const uint32_t seats = view.high_water(kSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    SeatRecord& seat = *view.seat(i);
    if (seat.owner.load(std::memory_order_relaxed) == owner.raw &&
        seat.state.load(std::memory_order_relaxed) == kLive &&
        seat.pool_id.load(std::memory_order_relaxed) == pool.id.load(std::memory_order_relaxed)) {
      return &seat;
    }
  }
  return nullptr;
}

void drop_ticket(const PoolLock& lock, uint32_t index, OwnerId owner, Burial* burial) {
  TicketRecord& ticket = *lock.view().ticket(index);
  if (ticket.owner.load(std::memory_order_relaxed) != owner.raw ||
      ticket.queue_pool.load(std::memory_order_relaxed) != lock.view().index_of(lock.pool()) + 1) {
    return;
  }
  const WaitWord wait{ticket.wait_word.load(std::memory_order_seq_cst)};
  if (wait.state() == WaitState::kWaiting) cancel_wait(ticket, wait);
  unlink(lock, index);
  ++burial->tickets;
}

void drop_tickets(const PoolLock& lock, OwnerId owner, Burial* burial) {
  const SegmentView& view = lock.view();
  if (owner.lane() < view.count(kLaneTable)) drop_ticket(lock, owner.lane(), owner, burial);
  const uint32_t tickets = view.high_water(kTicketTable);
  for (uint32_t i = view.count(kLaneTable); i < tickets; ++i) drop_ticket(lock, i, owner, burial);
}

void release_extra_tickets(const SegmentView& view, OwnerId owner) {
  const uint32_t tickets = view.high_water(kTicketTable);
  for (uint32_t i = view.count(kLaneTable); i < tickets; ++i) {
    TicketRecord& ticket = *view.ticket(i);
    if (ticket.owner.load(std::memory_order_relaxed) == owner.raw) release_ticket(view, i);
  }
}

// Its mutexes: each is free again, or corrupted, at once, as nothing of theirs has a socket; then
// its seat goes. False: as bury_lane.
bool bury_lane_at_mutexes(const SegmentView& view, const LockContext& context, OwnerId lane,
                          int64_t* lock_patience_ns, Burial* burial) {
  bool complete = true;
  const uint32_t seats = view.high_water(kMutexSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    MutexSeatRecord& seat = *view.mutex_seat(i);
    const auto is_its_seat = [&] {
      return seat.owner.load(std::memory_order_relaxed) == lane.raw &&
             seat.state.load(std::memory_order_acquire) == kLive;
    };
    if (!is_its_seat()) continue;
    MutexRecord* mutex = view.mutex(seat.mutex.load(std::memory_order_relaxed));
    if (mutex != nullptr &&
        !bury_lane_at_mutex(view, *mutex, lane, context.liveness, &burial->tickets)) {
      complete = false;
      continue;
    }
    TableLock tables(view, context, *lock_patience_ns);
    if (!tables.held()) {
      complete = false;
      *lock_patience_ns = 0;
      continue;
    }
    if (!is_its_seat()) continue;  // repaired meanwhile, perhaps somebody else's by now
    leave_mutex_seat(tables, i);
    ++burial->seats;
  }
  return complete;
}

// False: a lock could not be had in time. The seats beyond it are buried all the same, and nobody
// is waited for a second time: whoever is stopped inside one lock must not hold up the rest.
bool bury_lane(const SegmentView& view, const LockContext& context, OwnerId lane, int64_t now_ns,
               int64_t* lock_patience_ns, Burial* burial) {
  bool complete = true;
  const auto missed = [&] {
    complete = false;
    *lock_patience_ns = 0;
  };
  const uint32_t seats = view.high_water(kSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    SeatRecord& seat = *view.seat(i);
    const auto is_its_seat = [&] {
      return seat.owner.load(std::memory_order_relaxed) == lane.raw &&
             seat.state.load(std::memory_order_acquire) == kLive;
    };
    if (!is_its_seat()) continue;
    PoolRecord* pool = view.pool(seat.pool.load(std::memory_order_relaxed));
    if (pool != nullptr &&
        pool->id.load(std::memory_order_relaxed) == seat.pool_id.load(std::memory_order_relaxed)) {
      PoolLock lock(view, *pool, context, *lock_patience_ns);
      if (!lock.held()) {
        missed();
        continue;
      }
      bury_lane_at_pool(lock, lane, burial);
    }
    TableLock tables(view, context, *lock_patience_ns);
    if (!tables.held()) {
      missed();
      continue;
    }
    if (!is_its_seat()) continue;  // repaired meanwhile, perhaps somebody else's by now
    leave_seat(tables, i, now_ns);
    ++burial->seats;
  }
  if (!bury_lane_at_mutexes(view, context, lane, lock_patience_ns, burial)) complete = false;
  if (complete) release_extra_tickets(view, lane);
  return complete;
}

}  // namespace

void bury_lane_at_pool(const PoolLock& lock, OwnerId lane, Burial* burial) {
  SeatRecord* seat = seat_of(lock.view(), lock.pool(), lane);
  drop_tickets(lock, lane, burial);
  for_each_slot(lock.view(), lock.pool(), [&](uint32_t index, SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    if (!word.owned() || word.owner() != lane) return;
    if (!free_slot(lock.view(), lock.pool(), index, word)) return;
    ++burial->slots;
    const bool had_resource = word.state() != SlotState::kGranted;
    if (seat != nullptr && had_resource) count_closed(*seat, CloseReason::kDeadOwner);
  });
  restore_hints(lock.view(), lock.pool());  // it may have died between freeing a unit and the hint
  serve(lock);
}

Burial bury_process(const SegmentView& view, const LockContext& context, uint32_t process,
                    uint64_t incarnation, int64_t now_ns, int64_t lock_patience_ns,
                    uint32_t most_lanes) {
  Burial burial;
  const uint64_t claim = OwnerId::make(process, incarnation).raw;
  const uint32_t lanes = view.high_water(kLaneTable);
  for (uint32_t index = 0; index < lanes; ++index) {
    LaneRecord& lane = *view.lane(index);
    if (lane.claim.load(std::memory_order_acquire) != claim) continue;
    if (burial.lanes == most_lanes) {
      burial.complete = false;
      burial.more = true;
      return burial;
    }
    const uint64_t lane_incarnation = lane.incarnation.load(std::memory_order_acquire);
    if (lane_incarnation != 0 && !bury_lane(view, context, OwnerId::make(index, lane_incarnation),
                                            now_ns, &lock_patience_ns, &burial)) {
      burial.complete = false;
      continue;
    }
    close_dead_lane(view, OwnerId::make(index, lane_incarnation), OwnerId{claim});
    ++burial.lanes;
  }
  // Lanes can be left of a life whose record has been another's since.
  const bool is_its_record =
      view.process(process)->incarnation.load(std::memory_order_acquire) == incarnation;
  if (burial.complete && is_its_record) {
    if (burial.lanes != 0) view.header().burials.fetch_add(1, std::memory_order_relaxed);
    clear_process(view, process);
  }
  return burial;
}

uint32_t bury_strays_at_pool(const PoolLock& lock) {
  const SegmentView& view = lock.view();
  uint32_t freed = 0;
  for_each_slot(view, lock.pool(), [&](uint32_t index, SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    if (!word.owned()) return;
    const LaneRecord* lane = view.lane(word.owner().lane());
    if (lane != nullptr &&
        lane->incarnation.load(std::memory_order_acquire) == word.owner().incarnation()) {
      return;
    }
    if (free_slot(view, lock.pool(), index, word)) ++freed;
  });
  restore_hints(view, lock.pool());
  serve(lock);
  return freed;
}

}  // namespace oxpool::shm
