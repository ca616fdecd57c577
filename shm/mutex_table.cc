#include "shm/mutex_table.h"

#include <algorithm>
#include <cstring>

#include "shm/clock.h"
#include "shm/fnv.h"
#include "shm/mutex_lock.h"
#include "shm/pool_table.h"
#include "shm/unit_map.h"
#include "shm/value.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t raw(RecordState state) { return static_cast<uint32_t>(state); }

RecordState state_of(const Word32& state) {
  return static_cast<RecordState>(state.load(std::memory_order_relaxed));
}

bool has_name(const MutexRecord& mutex, std::string_view name, uint64_t hash) {
  return is_live(mutex) && mutex.name_hash.load(std::memory_order_relaxed) == hash &&
         mutex.name_bytes.load(std::memory_order_relaxed) == name.size() &&
         (mutex.naming.load(std::memory_order_relaxed) & kNameRemoved) == 0 &&
         std::memcmp(mutex.name, name.data(), name.size()) == 0;
}

// Only a name that is still there keeps a mutex that nobody is attached to.
bool is_pinned(const MutexRecord& mutex) {
  return (mutex.naming.load(std::memory_order_relaxed) & (kGivenName | kNameRemoved)) == kGivenName;
}

void lower_hint(const SegmentView& view, TableIndex table, uint32_t freed) {
  Word32& hint = view.header().lowest_free[table];
  if (freed < hint.load(std::memory_order_relaxed)) hint.store(freed, std::memory_order_relaxed);
}

// Taking a mutex apart is not worth a wait: what is left is done by the next one who needs a
// record.
constexpr int64_t kDiscardPatienceNs = kNanosPerMilli;

// Gives back what the record has, whatever state it was left in. Without the value lock in time it
// stays as it is, for the next one who looks for a free record.
bool discard_record(const TableLock& lock, MutexRecord& mutex,
                    int64_t lock_patience_ns = kDiscardPatienceNs) {
  const SegmentView& view = lock.view();
  mutex.state.store(raw(RecordState::kRemoving), std::memory_order_release);
  lower_hint(view, kMutexTable, view.index_of(mutex));
  if ((mutex.runs[0].load(std::memory_order_relaxed) |
       mutex.runs[1].load(std::memory_order_relaxed)) != 0) {
    ValueLock values(view, lock.context(), lock_patience_ns);
    if (!values.held()) return false;
    replace_run(values, mutex, 0, 0);
    replace_run(values, mutex, 1, 0);
  }
  mutex.state.store(raw(RecordState::kFree), std::memory_order_release);
  return true;
}

uint32_t take_record(const TableLock& lock) {
  const SegmentView& view = lock.view();
  Word32& hint = view.header().lowest_free[kMutexTable];
  for (uint32_t i = hint.load(std::memory_order_relaxed); i < view.count(kMutexTable); ++i) {
    MutexRecord& mutex = *view.mutex(i);
    const RecordState state = state_of(mutex.state);
    if (state != RecordState::kFree &&
        !(state == RecordState::kRemoving && discard_record(lock, mutex))) {
      continue;
    }
    hint.store(i + 1, std::memory_order_relaxed);
    view.raise_high_water(kMutexTable, i + 1);
    return i;
  }
  return kNoIndex;
}

void fill(const SegmentView& view, MutexRecord& mutex, std::string_view name,
          const MutexRequest& request, int64_t now_ns) {
  mutex.id.store(view.header().next_pool_id.fetch_add(1, std::memory_order_relaxed) + 1,
                 std::memory_order_relaxed);
  mutex.name_bytes.store(static_cast<uint32_t>(name.size()), std::memory_order_relaxed);
  mutex.name_hash.store(fnv1a(name), std::memory_order_relaxed);
  std::memset(mutex.name, 0, sizeof mutex.name);
  std::memcpy(mutex.name, name.data(), name.size());
  mutex.created_ns.store(now_ns, std::memory_order_relaxed);
  mutex.naming.store(request.given_name ? kGivenName : 0u, std::memory_order_relaxed);
  mutex.on_owner_death.store(static_cast<uint32_t>(request.on_owner_death),
                             std::memory_order_relaxed);
  mutex.seats.store(0, std::memory_order_relaxed);
  mutex.lock.store(MutexWord{}.raw, std::memory_order_relaxed);
  mutex.value.store(ValueWord{}.raw, std::memory_order_relaxed);
  for (Word64& run : mutex.runs) run.store(0, std::memory_order_relaxed);
  mutex.next_number.store(0, std::memory_order_relaxed);
  mutex.head.store(kNoIndex, std::memory_order_relaxed);
  mutex.fold.store(0, std::memory_order_relaxed);
  for (MutexRecord::Folded& sums : mutex.folded) {
    sums.acquires.store(0, std::memory_order_relaxed);
    sums.contended.store(0, std::memory_order_relaxed);
    sums.last_ns.store(0, std::memory_order_relaxed);
  }
}

MutexResult result_of(CommitResult committed) {
  switch (committed) {
    case CommitResult::kOk:
      return MutexResult::kOk;
    case CommitResult::kNoUnits:
      return MutexResult::kNoUnits;
    case CommitResult::kTimeout:
      break;
  }
  return MutexResult::kTimeout;
}

MutexRecord* mutex_of(const SegmentView& view, const MutexSeatRecord& seat) {
  MutexRecord* mutex = view.mutex(seat.mutex.load(std::memory_order_relaxed));
  const bool same =
      mutex != nullptr && is_live(*mutex) &&
      mutex->id.load(std::memory_order_relaxed) == seat.mutex_id.load(std::memory_order_relaxed);
  return same ? mutex : nullptr;
}

// As seat.cc does it for pools: made in the copy that does not count, and one word switches over.
void fold(MutexRecord& mutex, const MutexSeatRecord& seat) {
  const uint64_t serial = seat.serial.load(std::memory_order_relaxed);
  const uint64_t now = mutex.fold.load(std::memory_order_relaxed);
  if (now >> 1 == serial) return;  // folded already, by one who died before freeing the seat
  const MutexRecord::Folded& sums = mutex.folded[now & 1];
  MutexRecord::Folded& next = mutex.folded[1 - (now & 1)];
  const auto add = [](Word64& to, const Word64& a, const Word64& b) {
    to.store(a.load(std::memory_order_relaxed) + b.load(std::memory_order_relaxed),
             std::memory_order_relaxed);
  };
  add(next.acquires, sums.acquires, seat.acquires);
  add(next.contended, sums.contended, seat.contended);
  next.last_ns.store(std::max(sums.last_ns.load(std::memory_order_relaxed),
                              seat.last_ns.load(std::memory_order_relaxed)),
                     std::memory_order_relaxed);
  mutex.fold.store(serial << 1 | (1 - (now & 1)), std::memory_order_release);
}

void finish_seat_removal(const SegmentView& view, MutexSeatRecord& seat) {
  if (state_of(seat.state) == RecordState::kRemoving) {
    if (MutexRecord* mutex = mutex_of(view, seat)) fold(*mutex, seat);
  }
  seat.owner.store(0, std::memory_order_relaxed);
  seat.state.store(raw(RecordState::kFree), std::memory_order_release);
  lower_hint(view, kMutexSeatTable, view.index_of(seat));
}

bool half_made(RecordState state) {
  return state == RecordState::kBuilding || state == RecordState::kRemoving;
}

void count_mutex_seats(const SegmentView& view) {
  const uint32_t mutexes = view.high_water(kMutexTable);
  for (uint32_t i = 0; i < mutexes; ++i) view.mutex(i)->seats.store(0, std::memory_order_relaxed);
  const uint32_t seats = view.high_water(kMutexSeatTable);
  for (uint32_t i = 0; i < seats; ++i) {
    const MutexSeatRecord& seat = *view.mutex_seat(i);
    if (state_of(seat.state) != RecordState::kLive) continue;
    if (MutexRecord* mutex = mutex_of(view, seat)) {
      mutex->seats.store(mutex->seats.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
    }
  }
}

}  // namespace

MutexRecord* find_live_mutex(const SegmentView& view, uint64_t id) {
  MutexRecord* found = nullptr;
  for_each_live_mutex(view, [&](MutexRecord& mutex) {
    if (found == nullptr && mutex.id.load(std::memory_order_relaxed) == id) found = &mutex;
  });
  return found;
}

uint32_t find_mutex(const TableLock& lock, std::string_view name) {
  const uint64_t hash = fnv1a(name);
  const uint32_t mutexes = lock.view().high_water(kMutexTable);
  for (uint32_t i = 0; i < mutexes; ++i) {
    if (has_name(*lock.view().mutex(i), name, hash)) return i;
  }
  return kNoIndex;
}

MutexResult find_or_make_mutex(const TableLock& lock, std::string_view name,
                               const MutexRequest& request, int64_t now_ns, uint32_t* index,
                               bool* made) {
  if (name.size() > kNameBytes) return MutexResult::kTooLarge;
  const SegmentView& view = lock.view();
  *index = find_mutex(lock, name);
  if (made != nullptr) *made = *index == kNoIndex;
  if (*index != kNoIndex) {
    if (request.given_name) view.mutex(*index)->naming.fetch_or(kGivenName);
    return MutexResult::kOk;
  }
  if (find_pool(lock, name) != kNoIndex) return MutexResult::kWrongType;
  if (request.must_exist) return MutexResult::kNoSuchName;
  if (request.initial.size() > value_limit_bytes(view)) return MutexResult::kTooLarge;
  *index = take_record(lock);
  if (*index == kNoIndex) return MutexResult::kNoMutex;

  MutexRecord& mutex = *view.mutex(*index);
  mutex.state.store(raw(RecordState::kBuilding), std::memory_order_release);
  fill(view, mutex, name, request, now_ns);
  const MutexResult result = result_of(commit_value(view, mutex, lock.context(), request.initial));
  if (result != MutexResult::kOk) {
    discard_record(lock, mutex);
    return result;
  }
  mutex.state.store(raw(RecordState::kLive), std::memory_order_release);
  view.header().pool_table_version.fetch_add(1, std::memory_order_release);
  return MutexResult::kOk;
}

MutexResult take_mutex_seat(const TableLock& lock, uint32_t index, OwnerId owner,
                            uint32_t* result) {
  const SegmentView& view = lock.view();
  MutexRecord& mutex = *view.mutex(index);
  Word32& hint = view.header().lowest_free[kMutexSeatTable];
  for (uint32_t i = hint.load(std::memory_order_relaxed); i < view.count(kMutexSeatTable); ++i) {
    MutexSeatRecord& seat = *view.mutex_seat(i);
    if (state_of(seat.state) != RecordState::kFree) continue;
    hint.store(i + 1, std::memory_order_relaxed);
    view.raise_high_water(kMutexSeatTable, i + 1);
    seat.state.store(raw(RecordState::kBuilding), std::memory_order_release);
    seat.acquires.store(0, std::memory_order_relaxed);
    seat.contended.store(0, std::memory_order_relaxed);
    seat.last_ns.store(0, std::memory_order_relaxed);
    seat.mutex.store(index, std::memory_order_relaxed);
    seat.mutex_id.store(mutex.id.load(std::memory_order_relaxed), std::memory_order_relaxed);
    seat.owner.store(owner.raw, std::memory_order_relaxed);
    seat.serial.store(view.header().next_seat_serial.fetch_add(1, std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
    seat.state.store(raw(RecordState::kLive), std::memory_order_release);
    mutex.seats.store(mutex.seats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    *result = i;
    return MutexResult::kOk;
  }
  return MutexResult::kNoSeat;
}

void leave_mutex_seat(const TableLock& lock, uint32_t index) {
  MutexSeatRecord& seat = *lock.view().mutex_seat(index);
  if (state_of(seat.state) != RecordState::kLive) return;
  seat.state.store(raw(RecordState::kRemoving), std::memory_order_release);
  MutexRecord* mutex = mutex_of(lock.view(), seat);
  finish_seat_removal(lock.view(), seat);
  if (mutex == nullptr) return;
  const uint32_t seats = mutex->seats.load(std::memory_order_relaxed);
  if (seats > 0) mutex->seats.store(seats - 1, std::memory_order_relaxed);
  if (seats <= 1) remove_mutex_unless_pinned(lock, *mutex);
}

void remove_mutex_name(const TableLock& lock, MutexRecord& mutex) {
  mutex.naming.fetch_or(kNameRemoved, std::memory_order_release);
  close_mutex(lock.view(), mutex);
  remove_mutex_unless_pinned(lock, mutex);
}

void remove_mutex_unless_pinned(const TableLock& lock, MutexRecord& mutex) {
  if (!is_live(mutex) || mutex.seats.load(std::memory_order_relaxed) != 0 || is_pinned(mutex)) {
    return;
  }
  // First, so that the sum over all mutexes that ever were does not go down by them.
  SegmentHeader& header = lock.view().header();
  const MutexRecord::Folded& sums = mutex.folded[mutex.fold.load(std::memory_order_acquire) & 1];
  header.mutex_operations_removed.fetch_add(sums.acquires.load(std::memory_order_relaxed),
                                            std::memory_order_relaxed);
  header.mutexes_removed.fetch_add(1, std::memory_order_relaxed);
  discard_record(lock, mutex);
  header.pool_table_version.fetch_add(1, std::memory_order_release);
}

void repair_mutex_tables(const TableLock& lock) {
  const SegmentView& view = lock.view();
  for (uint32_t i = 0; i < view.high_water(kMutexSeatTable); ++i) {
    MutexSeatRecord& seat = *view.mutex_seat(i);
    if (half_made(state_of(seat.state))) finish_seat_removal(view, seat);
  }
  for (uint32_t i = 0; i < view.high_water(kMutexTable); ++i) {
    MutexRecord& mutex = *view.mutex(i);
    if (half_made(state_of(mutex.state))) discard_record(lock, mutex, 0);
  }
  count_mutex_seats(view);
  // Whoever died inside made one and did not sit down at it, or removed a name or the last seat.
  for_each_live_mutex(view, [&](MutexRecord& mutex) {
    if ((mutex.naming.load(std::memory_order_relaxed) & kNameRemoved) != 0) {
      close_mutex(view, mutex);
    }
    remove_mutex_unless_pinned(lock, mutex);
  });
}

}  // namespace oxpool::shm
