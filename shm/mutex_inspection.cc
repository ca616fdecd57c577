#include "shm/mutex_inspection.h"

#include <algorithm>

#include "shm/queue.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t kLive = static_cast<uint32_t>(RecordState::kLive);
constexpr uint32_t kRemoving = static_cast<uint32_t>(RecordState::kRemoving);

// Calls visit(mutex index) for every ticket that waits for a mutex. Each mutex that is named is one
// of the table's.
template <typename Visit>
void for_each_lock_wait(const SegmentView& view, Visit visit) {
  for_each_ticket(view, [&](uint32_t, const TicketRecord& ticket) {
    const uint32_t queue = ticket.queue_mutex.load(std::memory_order_acquire);
    const WaitWord wait{ticket.wait_word.load(std::memory_order_acquire)};
    if (queue == 0 || queue > view.count(kMutexTable)) return;
    if (wait.state() == WaitState::kWaiting) visit(queue - 1);
  });
}

// Mutex records, from one on.
struct Range {
  uint32_t first;
  uint32_t count;
};

// One walk. False when a seat was folded meanwhile, so that some counts may be missed or doubled.
bool try_sum(const SegmentView& view, Range mutexes, MutexSums* result) {
  std::fill_n(result, mutexes.count, MutexSums{});
  std::vector<uint64_t> folds(mutexes.count);
  const auto add = [](const auto& counts, MutexSums* sums) {
    sums->acquires += counts.acquires.load(std::memory_order_relaxed);
    sums->contended += counts.contended.load(std::memory_order_relaxed);
    sums->last_ns = std::max(sums->last_ns, counts.last_ns.load(std::memory_order_relaxed));
  };
  for (uint32_t i = 0; i < mutexes.count; ++i) {
    const MutexRecord& mutex = *view.mutex(mutexes.first + i);
    folds[i] = mutex.fold.load(std::memory_order_acquire);
    if (is_live(mutex)) add(mutex.folded[folds[i] & 1], &result[i]);
  }
  const uint32_t seats = view.high_water(kMutexSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    const MutexSeatRecord& seat = *view.mutex_seat(i);
    const uint32_t state = seat.state.load(std::memory_order_acquire);
    if (state != kLive && state != kRemoving) continue;
    // Unsigned: one before the first is far beyond the last.
    const uint32_t mutex = seat.mutex.load(std::memory_order_relaxed) - mutexes.first;
    if (mutex >= mutexes.count ||
        seat.serial.load(std::memory_order_relaxed) == folds[mutex] >> 1 ||
        view.mutex(mutexes.first + mutex)->id.load(std::memory_order_relaxed) !=
            seat.mutex_id.load(std::memory_order_relaxed)) {
      continue;
    }
    add(seat, &result[mutex]);
    if (state == kLive) ++result[mutex].seats;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t i = 0; i < mutexes.count; ++i) {
    if (view.mutex(mutexes.first + i)->fold.load(std::memory_order_relaxed) != folds[i]) {
      return false;
    }
  }
  return true;
}

void sum(const SegmentView& view, Range mutexes, MutexSums* result) {
  constexpr int kTries =
      8;  // seats come and go rarely; a torn sum after that is one scrape's noise
  for (int i = 0; i < kTries && !try_sum(view, mutexes, result); ++i) {
  }
}

}  // namespace

uint32_t count_lock_waiters(const SegmentView& view, const MutexRecord& mutex) {
  const uint32_t index = view.index_of(mutex);
  uint32_t waiters = 0;
  for_each_lock_wait(view, [&](uint32_t waited_for) { waiters += waited_for == index ? 1 : 0; });
  return waiters;
}

std::vector<uint32_t> count_lock_waiters(const SegmentView& view) {
  std::vector<uint32_t> waiters(view.high_water(kMutexTable));
  for_each_lock_wait(view, [&](uint32_t index) {
    if (index < waiters.size()) ++waiters[index];
  });
  return waiters;
}

void sum_mutexes(const SegmentView& view, std::vector<MutexSums>* result) {
  const uint32_t mutexes = view.high_water(kMutexTable);
  result->resize(mutexes);
  sum(view, {0, mutexes}, result->data());
}

MutexSums sum_mutex(const SegmentView& view, const MutexRecord& mutex) {
  MutexSums result;
  sum(view, {view.index_of(mutex), 1}, &result);
  return result;
}

uint64_t mutex_bytes(const SegmentView& view, const MutexRecord& mutex, uint32_t seats) {
  uint64_t bytes = sizeof(MutexRecord) + uint64_t{seats} * sizeof(MutexSeatRecord);
  for (const Word64& word : mutex.runs) {
    const UnitRun run = UnitRun::of(word.load(std::memory_order_relaxed));
    if (view.has_units(run)) bytes += uint64_t{run.units} * kUnitBytes;
  }
  return bytes;
}

}  // namespace oxpool::shm
