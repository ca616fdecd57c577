#include "shm/rest.h"

#include <algorithm>

#include "shm/clock.h"
#include "shm/fnv.h"
#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/queue.h"
#include "shm/repair.h"
#include "shm/slot.h"
#include "shm/snapshot.h"
#include "shm/unit_map.h"
#include "shm/value.h"

namespace oxpool::shm {

namespace {

constexpr int64_t kPatienceNs = 2 * kNanosPerMilli;
// Numbers that are never used twice must last.
constexpr uint64_t kNumbersLeft = uint64_t{1} << 32;
constexpr uint64_t kMaxPoolId = uint64_t{1} << 53;
constexpr uint64_t kMaxSeatSerial = uint64_t{1} << 63;

constexpr uint32_t raw(RecordState state) { return static_cast<uint32_t>(state); }

bool numbers_last(const SegmentHeader& header, OwnerId steward) {
  const uint64_t incarnation = header.next_incarnation.load(std::memory_order_relaxed);
  return incarnation >= steward.incarnation() &&
         incarnation < OwnerId::kMaxIncarnation - kNumbersLeft &&
         header.next_pool_id.load(std::memory_order_relaxed) < kMaxPoolId - kNumbersLeft &&
         header.next_seat_serial.load(std::memory_order_relaxed) < kMaxSeatSerial - kNumbersLeft;
}

// Beyond the high water too: whoever attaches looks there.
bool anybody_recorded(const SegmentView& view) {
  for (uint32_t i = kDaemonProcess + 1; i < view.count(kProcessTable); ++i) {
    if (view.process(i)->incarnation.load(std::memory_order_relaxed) != 0) return true;
  }
  for (uint32_t i = kDaemonLane + 1; i < view.count(kLaneTable); ++i) {
    const LaneRecord& lane = *view.lane(i);
    if (lane.claim.load(std::memory_order_relaxed) != 0) return true;
    if (lane.incarnation.load(std::memory_order_relaxed) != 0) return true;
  }
  for (uint32_t i = view.count(kLaneTable); i < view.count(kTicketTable); ++i) {
    if (view.ticket(i)->owner.load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

bool any_seat_taken(const SegmentView& view) {
  for (uint32_t i = 0; i < view.count(kSeatTable); ++i) {
    if (view.seat(i)->state.load(std::memory_order_relaxed) != raw(RecordState::kFree)) return true;
  }
  for (uint32_t i = 0; i < view.count(kMutexSeatTable); ++i) {
    const uint32_t state = view.mutex_seat(i)->state.load(std::memory_order_relaxed);
    if (state != raw(RecordState::kFree)) return true;
  }
  return false;
}

bool is_named(const PoolRecord& pool) {
  const uint32_t bytes = pool.name_bytes.load(std::memory_order_relaxed);
  return bytes > 0 && bytes <= kNameBytes &&
         fnv1a(pool_name(pool)) == pool.name_hash.load(std::memory_order_relaxed);
}

bool has_its_chunks(const SegmentView& view, const PoolRecord& pool) {
  if (pool.chunk_count.load(std::memory_order_relaxed) > kMaxChunksPerPool) return false;
  for (uint32_t position = 0; position < view.chunk_count(pool); ++position) {
    const ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr ||
        chunk->pool_id.load(std::memory_order_relaxed) != pool.id.load(std::memory_order_relaxed)) {
      return false;
    }
  }
  return true;
}

// After a repair: nobody waits, and as many units are free as the cap says.
bool is_whole(const PoolLock& lock) {
  uint32_t units = 0;
  bool all_at_home = true;
  for_each_slot(lock.view(), lock.pool(), [&](uint32_t, SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    if (word == SlotWord::free()) ++units;
    all_at_home &= word == SlotWord::free() || word == SlotWord::retired();
  });
  const uint32_t room = lock.view().chunk_count(lock.pool()) * kSlotsPerChunk;
  return all_at_home && units == std::min(wanted_cap(lock.pool()), room) &&
         load_pressure(lock.pool()).raw == 0;
}

std::string find_damage_of(const SegmentView& view, const LockContext& steward, uint32_t index) {
  PoolRecord& pool = *view.pool(index);
  const uint32_t state = pool.state.load(std::memory_order_relaxed);
  if (state == raw(RecordState::kFree)) return "";
  const bool sound = state == raw(RecordState::kLive) && index < view.high_water(kPoolTable) &&
                     is_named(pool) && has_its_chunks(view, pool);
  if (!sound) return "has a pool record that contradicts others";
  PoolLock lock(view, pool, steward, kPatienceNs);
  if (!lock.held()) return "has a pool whose lock nobody holds and nobody can have";
  repair_pool(lock);
  return is_whole(lock) ? "" : "has a pool with units that nobody has and nobody can have";
}

bool is_named(const MutexRecord& mutex) {
  const uint32_t bytes = mutex.name_bytes.load(std::memory_order_relaxed);
  return bytes > 0 && bytes <= kNameBytes &&
         fnv1a(mutex_name(mutex)) == mutex.name_hash.load(std::memory_order_relaxed);
}

// Its value can be read, and no unit is another copy's, too. *units grows by its own.
bool has_its_value(const SegmentView& view, const MutexRecord& mutex, uint32_t* units) {
  for (const Word64& word : mutex.runs) {
    const UnitRun run = UnitRun::of(word.load(std::memory_order_relaxed));
    if (!view.has_units(run)) return false;
    *units += run.units;
  }
  return value_bytes(view, mutex).size() == load_value(mutex).bytes();
}

// Nobody has it and nobody waits for it; a corrupted one stays so.
bool is_at_rest(const SegmentView& view, const MutexRecord& mutex, uint32_t index) {
  return mutex.state.load(std::memory_order_relaxed) == raw(RecordState::kLive) &&
         index < view.high_water(kMutexTable) && !load_mutex(mutex).owner() &&
         !load_mutex(mutex).has(MutexWord::kRemoved);
}

std::string find_damage_of_mutexes(const SegmentView& view, const LockContext& steward) {
  uint32_t units = 0;
  for (uint32_t i = 0; i < view.count(kMutexTable); ++i) {
    const MutexRecord& mutex = *view.mutex(i);
    if (mutex.state.load(std::memory_order_relaxed) == raw(RecordState::kFree)) continue;
    if (!is_at_rest(view, mutex, i) || !is_named(mutex)) {
      return "has a mutex record that contradicts others";
    }
    if (!has_its_value(view, mutex, &units)) return "has a mutex whose value lies outside";
  }
  ValueLock values(view, steward, kPatienceNs);
  if (!values.held()) return "has a value lock that nobody holds and nobody can have";
  rebuild_unit_map(values);
  return used_units(view) == units ? "" : "has values that lie in the same place";
}

}  // namespace

std::string find_damage_at_rest(const SegmentView& view, const LockContext& steward) {
  if (!numbers_last(view.header(), steward.me)) return "has used up its numbers";
  if (anybody_recorded(view)) return "has records of workers that nobody can bury";
  {
    TableLock tables(view, steward, kPatienceNs);
    if (!tables.held()) return "has a table lock that nobody holds and nobody can have";
    repair_tables(tables);
  }
  if (any_seat_taken(view)) return "has seats of workers that were never there";
  for (uint32_t i = 0; i < view.count(kPoolTable); ++i) {
    if (std::string damage = find_damage_of(view, steward, i); !damage.empty()) return damage;
  }
  return find_damage_of_mutexes(view, steward);
}

}  // namespace oxpool::shm
