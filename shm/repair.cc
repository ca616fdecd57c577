#include "shm/repair.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "shm/futex.h"
#include "shm/mutex_table.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/slot.h"

namespace oxpool::shm {

namespace {

// A slot GRANTED to a lane whose ticket does not say so: the granter died between the two words.
// Finish it when the ticket still waits here, else give the unit back. Whoever was granted a unit
// is woken: the granter may not have come to that.
void settle_grant(const PoolLock& lock, uint32_t index, SlotRecord& slot) {
  const SlotWord word = load_slot(slot);
  if (word.state() != SlotState::kGranted) return;
  TicketRecord* ticket = lock.view().ticket(slot.ticket.load(std::memory_order_relaxed));
  const uint32_t here = lock.view().index_of(lock.pool()) + 1;
  if (ticket != nullptr && ticket->owner.load(std::memory_order_relaxed) == word.owner().raw &&
      ticket->queue_pool.load(std::memory_order_relaxed) == here) {
    WaitWord wait{ticket->wait_word.load(std::memory_order_seq_cst)};
    if (wait.state() == WaitState::kWaiting) {
      const WaitWord granted = WaitWord::make(WaitState::kGranted, wait.round(), index);
      if (ticket->wait_word.compare_exchange_strong(wait.raw, granted.raw,
                                                    std::memory_order_seq_cst)) {
        wait = granted;
      }
    }
    if (wait.state() == WaitState::kGranted && wait.slot() == index) {
      return futex_wake(ticket->wait_word, 1);
    }
  } else if (ticket != nullptr &&
             ticket->owner.load(std::memory_order_relaxed) == word.owner().raw) {
    // Unlinked already, so the grant was complete; its lane has not accepted it yet.
    const WaitWord wait{ticket->wait_word.load(std::memory_order_seq_cst)};
    if (wait.state() == WaitState::kGranted && wait.slot() == index) {
      return futex_wake(ticket->wait_word, 1);
    }
  }
  free_slot(lock.view(), lock.pool(), index, word);
}

// The tickets that say of themselves that they are in this pool's queue, in order of arrival.
// One that waits no more is let go.
std::vector<uint32_t> queued_tickets(const PoolLock& lock) {
  const SegmentView& view = lock.view();
  const uint32_t here = view.index_of(lock.pool()) + 1;
  // By number, as read once: sorting by words that somebody may scribble on would not end well.
  std::vector<std::pair<uint64_t, uint32_t>> waiting;
  for_each_ticket(view, [&](uint32_t index, TicketRecord& ticket) {
    if (ticket.queue_pool.load(std::memory_order_acquire) != here) return;
    const WaitWord wait{ticket.wait_word.load(std::memory_order_seq_cst)};
    if (wait.state() == WaitState::kWaiting) {
      waiting.emplace_back(ticket.number.load(std::memory_order_relaxed), index);
    } else {
      ticket.queue_pool.store(0, std::memory_order_release);
    }
  });
  std::sort(waiting.begin(), waiting.end());
  std::vector<uint32_t> result;
  result.reserve(waiting.size());
  for (const auto& [number, index] : waiting) result.push_back(index);
  return result;
}

void relink(const PoolLock& lock, const std::vector<uint32_t>& waiting) {
  PoolRecord& pool = lock.pool();
  for (size_t i = 0; i < waiting.size(); ++i) {
    TicketRecord& ticket = *lock.view().ticket(waiting[i]);
    ticket.previous.store(i > 0 ? waiting[i - 1] : kNoIndex, std::memory_order_relaxed);
    ticket.next.store(i + 1 < waiting.size() ? waiting[i + 1] : kNoIndex,
                      std::memory_order_relaxed);
  }
  pool.head.store(waiting.empty() ? kNoIndex : waiting.front(), std::memory_order_relaxed);
  pool.tail.store(waiting.empty() ? kNoIndex : waiting.back(), std::memory_order_relaxed);
  pool.head_since_ns.store(
      waiting.empty()
          ? 0
          : lock.view().ticket(waiting.front())->since_ns.load(std::memory_order_relaxed),
      std::memory_order_relaxed);
  pool.pressure.store(PressureWord::make(static_cast<uint32_t>(waiting.size()), 0).raw,
                      std::memory_order_seq_cst);
}

bool chunk_is_listed(const SegmentView& view, const ChunkRecord& chunk, uint32_t index) {
  const PoolRecord* pool = view.pool(chunk.pool.load(std::memory_order_relaxed));
  const uint32_t position = chunk.position.load(std::memory_order_relaxed);
  return pool != nullptr &&
         pool->state.load(std::memory_order_relaxed) == static_cast<uint32_t>(RecordState::kLive) &&
         pool->id.load(std::memory_order_relaxed) ==
             chunk.pool_id.load(std::memory_order_relaxed) &&
         position < view.chunk_count(*pool) &&
         pool->chunks[position].load(std::memory_order_relaxed) == index;
}

}  // namespace

void repair_pool(const PoolLock& lock) {
  // Grants first: a grant that is finished here takes its ticket out of the queue below.
  for_each_slot(lock.view(), lock.pool(),
                [&](uint32_t index, SlotRecord& slot) { settle_grant(lock, index, slot); });
  relink(lock, queued_tickets(lock));
  settle_cap(lock);  // counts the excess anew
  restore_hints(lock.view(), lock.pool());
  serve(lock);
}

void repair_tables(const TableLock& lock) {
  const SegmentView& view = lock.view();
  const auto half_made = [](const Word32& state) {
    const auto value = static_cast<RecordState>(state.load(std::memory_order_relaxed));
    return value == RecordState::kBuilding || value == RecordState::kRemoving;
  };
  for (uint32_t index = 0; index < view.high_water(kPoolTable); ++index) {
    PoolRecord& pool = *view.pool(index);
    if (half_made(pool.state)) discard_pool_record(lock, pool);
  }
  for (uint32_t index = 0; index < view.high_water(kSeatTable); ++index) {
    SeatRecord& seat = *view.seat(index);
    if (half_made(seat.state)) finish_seat_removal(lock, seat);
  }
  for (uint32_t index = 0; index < view.high_water(kChunkTable); ++index) {
    ChunkRecord& chunk = *view.chunk(index);
    if (chunk.pool_id.load(std::memory_order_relaxed) != 0 &&
        !chunk_is_listed(view, chunk, index)) {
      chunk.pool_id.store(0, std::memory_order_release);
    }
  }
  count_seats(lock);
  repair_mutex_tables(lock);
  for (Word32& hint : view.header().lowest_free) hint.store(0, std::memory_order_relaxed);
}

}  // namespace oxpool::shm
