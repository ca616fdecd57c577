#include "shm/pool_table.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "shm/fnv.h"
#include "shm/mutex_table.h"
#include "shm/slot.h"
#include "shm/snapshot.h"

namespace oxpool::shm {

namespace {

constexpr uint32_t raw(RecordState state) { return static_cast<uint32_t>(state); }

bool has_name(const PoolRecord& pool, std::string_view name, uint64_t hash) {
  return is_live(pool) && pool.name_hash.load(std::memory_order_relaxed) == hash &&
         pool.name_bytes.load(std::memory_order_relaxed) == name.size() &&
         (pool.naming.load(std::memory_order_relaxed) & kNameRemoved) == 0 &&
         std::memcmp(pool.name, name.data(), name.size()) == 0;
}

// The next free record from the hint on; kNoIndex when the table is full.
template <typename IsFree>
uint32_t take_lowest_free(const SegmentView& view, TableIndex table, IsFree is_free) {
  Word32& hint = view.header().lowest_free[table];
  for (uint32_t i = hint.load(std::memory_order_relaxed); i < view.count(table); ++i) {
    if (!is_free(i)) continue;
    hint.store(i + 1, std::memory_order_relaxed);
    view.raise_high_water(table, i + 1);
    return i;
  }
  return kNoIndex;
}

void lower_hint(const SegmentView& view, TableIndex table, uint32_t freed) {
  Word32& hint = view.header().lowest_free[table];
  if (freed < hint.load(std::memory_order_relaxed)) hint.store(freed, std::memory_order_relaxed);
}

uint32_t take_pool_record(const SegmentView& view) {
  return take_lowest_free(view, kPoolTable, [&](uint32_t i) {
    return view.pool(i)->state.load(std::memory_order_relaxed) == raw(RecordState::kFree);
  });
}

// When a table is full: the record that nobody has been attached to for longest, but not `except`.
bool remove_longest_unattached(const TableLock& lock, const PoolRecord* except) {
  PoolRecord* oldest = nullptr;
  int64_t oldest_ns = std::numeric_limits<int64_t>::max();
  for_each_live_pool(lock.view(), [&](PoolRecord& pool) {
    if (&pool == except || pool.seats.load(std::memory_order_relaxed) != 0) return;
    const int64_t since_ns = pool.unattached_since_ns.load(std::memory_order_relaxed);
    if (since_ns < oldest_ns) {
      oldest_ns = since_ns;
      oldest = &pool;
    }
  });
  return oldest != nullptr && remove_pool(lock, *oldest);
}

// Whether the pool can have so many more chunks: free ones, and those of the pools that would be
// removed for them. Asked before any is taken, since a pool keeps what it has, and one that is
// removed is gone.
bool has_chunks(const SegmentView& view, const PoolRecord& pool, uint32_t more) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < view.count(kChunkTable) && found < more; ++i) {
    if (view.chunk(i)->pool_id.load(std::memory_order_relaxed) == 0) ++found;
  }
  for_each_live_pool(view, [&](const PoolRecord& other) {
    if (found >= more || &other == &pool) return;
    if (other.seats.load(std::memory_order_relaxed) != 0) return;
    found += view.chunk_count(other);
  });
  return found >= more;
}

void fill_pool(const SegmentView& view, PoolRecord& pool, std::string_view name,
               const PoolRequest& request, int64_t now_ns) {
  pool.id.store(view.header().next_pool_id.fetch_add(1, std::memory_order_relaxed) + 1,
                std::memory_order_relaxed);
  pool.name_bytes.store(static_cast<uint32_t>(name.size()), std::memory_order_relaxed);
  pool.name_hash.store(fnv1a(name), std::memory_order_relaxed);
  std::memset(pool.name, 0, sizeof pool.name);
  std::memcpy(pool.name, name.data(), name.size());
  pool.chunk_count.store(0, std::memory_order_relaxed);
  pool.operator_max_size.store(0, std::memory_order_relaxed);
  pool.created_ns.store(now_ns, std::memory_order_relaxed);
  pool.head.store(kNoIndex, std::memory_order_relaxed);
  pool.tail.store(kNoIndex, std::memory_order_relaxed);
  pool.next_number.store(0, std::memory_order_relaxed);
  pool.head_since_ns.store(0, std::memory_order_relaxed);
  pool.cap.store(0, std::memory_order_relaxed);
  pool.seats.store(0, std::memory_order_relaxed);
  pool.unattached_since_ns.store(now_ns, std::memory_order_relaxed);
  pool.settings_serial.store(0, std::memory_order_relaxed);
  pool.pressure.store(0, std::memory_order_relaxed);
  pool.factory_mean_ns.store(0, std::memory_order_relaxed);
  pool.naming.store(0, std::memory_order_relaxed);
  pool.disagreed_serial.store(0, std::memory_order_relaxed);
  pool.gate.store(GateWord{}.raw, std::memory_order_relaxed);
  pool.reserve.store(0, std::memory_order_relaxed);
  pool.gated.store(0, std::memory_order_relaxed);
  pool.movements.store(0, std::memory_order_relaxed);
  pool.starved_waits.store(0, std::memory_order_relaxed);
  pool.leaks.store(0, std::memory_order_relaxed);
  pool.fold.store(0, std::memory_order_relaxed);
  for (CounterBlock& block : pool.folded) clear_counts(block);
  bool disagreed;
  request_settings(pool, request, 0, now_ns, &disagreed);
}

bool all_zero(const CounterBlock& block) {
  const auto is_zero = [](const Word64& word) { return word.load(std::memory_order_relaxed) == 0; };
  return std::all_of(std::begin(block.counters), std::end(block.counters), is_zero) &&
         std::all_of(std::begin(block.evicted), std::end(block.evicted), is_zero);
}

}  // namespace

void clear_counts(CounterBlock& block) {
  zip_counters([](Word64& word) { word.store(0, std::memory_order_relaxed); }, block);
}

PoolRecord* find_live_pool(const SegmentView& view, uint64_t id) {
  PoolRecord* found = nullptr;
  for_each_live_pool(view, [&](PoolRecord& pool) {
    if (found == nullptr && pool.id.load(std::memory_order_relaxed) == id) found = &pool;
  });
  return found;
}

uint32_t find_pool(const TableLock& lock, std::string_view name) {
  const uint64_t hash = fnv1a(name);
  const uint32_t pools = lock.view().high_water(kPoolTable);
  for (uint32_t i = 0; i < pools; ++i) {
    if (has_name(*lock.view().pool(i), name, hash)) return i;
  }
  return kNoIndex;
}

PoolResult find_or_make_pool(const TableLock& lock, std::string_view name,
                             const PoolRequest& request, int64_t now_ns, uint32_t* index) {
  if (name.size() > kNameBytes || request.max_size > kMaxSlotsPerPool) return PoolResult::kTooLarge;
  const SegmentView& view = lock.view();
  *index = find_pool(lock, name);
  if (*index != kNoIndex) return reserve_slots(lock, *view.pool(*index), request.max_size);

  if (find_mutex(lock, name) != kNoIndex) return PoolResult::kWrongType;
  *index = take_pool_record(view);
  if (*index == kNoIndex && remove_longest_unattached(lock, nullptr))
    *index = take_pool_record(view);
  if (*index == kNoIndex) return PoolResult::kNoPool;

  PoolRecord& pool = *view.pool(*index);
  pool.state.store(raw(RecordState::kBuilding), std::memory_order_release);
  fill_pool(view, pool, name, request, now_ns);
  const PoolResult result = reserve_slots(lock, pool, request.max_size);
  if (result != PoolResult::kOk) {
    discard_pool_record(lock, pool);
    return result;
  }
  pool.state.store(raw(RecordState::kLive), std::memory_order_release);
  view.header().pool_table_version.fetch_add(1, std::memory_order_release);
  return PoolResult::kOk;
}

PoolResult reserve_slots(const TableLock& lock, PoolRecord& pool, uint32_t max_size) {
  if (max_size > kMaxSlotsPerPool) return PoolResult::kTooLarge;
  const SegmentView& view = lock.view();
  const uint32_t wanted = (max_size + kSlotsPerChunk - 1) / kSlotsPerChunk;
  const uint32_t has = view.chunk_count(pool);
  if (has < wanted && !has_chunks(view, pool, wanted - has)) return PoolResult::kNoChunk;
  for (uint32_t position = has; position < wanted; ++position) {
    const auto take = [&] {
      return take_lowest_free(view, kChunkTable, [&](uint32_t i) {
        return view.chunk(i)->pool_id.load(std::memory_order_relaxed) == 0;
      });
    };
    uint32_t index = take();
    while (index == kNoIndex && remove_longest_unattached(lock, &pool)) index = take();
    if (index == kNoIndex) return PoolResult::kNoChunk;
    ChunkRecord& chunk = *view.chunk(index);
    chunk.pool.store(view.index_of(pool), std::memory_order_relaxed);
    chunk.position.store(position, std::memory_order_relaxed);
    chunk.free_hint.store(0, std::memory_order_relaxed);
    for (SlotRecord& slot : chunk.slots) {
      slot.word.store(SlotWord::retired().raw, std::memory_order_relaxed);
    }
    // Owner, listing, count: repair frees a chunk that is owned and not listed.
    chunk.pool_id.store(pool.id.load(std::memory_order_relaxed), std::memory_order_release);
    pool.chunks[position].store(index, std::memory_order_release);
    pool.chunk_count.store(position + 1, std::memory_order_release);
  }
  return PoolResult::kOk;
}

void request_settings(PoolRecord& pool, const PoolRequest& request, uint64_t started_serial,
                      int64_t now_ns, bool* disagreed) {
  if (request.given_name) pool.naming.fetch_or(kGivenName, std::memory_order_relaxed);
  PoolSettings& settings = pool.settings;
  const auto idle_timeout_ms = static_cast<uint64_t>(request.idle_timeout_ms);
  const uint64_t set_by = pool.settings_serial.load(std::memory_order_relaxed);
  *disagreed = set_by != 0 && set_by != started_serial &&
               (settings.max_size.load(std::memory_order_relaxed) != request.max_size ||
                settings.idle_timeout_ms.load(std::memory_order_relaxed) != idle_timeout_ms);
  if (*disagreed) pool.disagreed_serial.store(started_serial, std::memory_order_relaxed);
  if (started_serial < set_by) return;
  settings.max_size.store(request.max_size, std::memory_order_relaxed);
  settings.patience_ms.store(request.patience_ms, std::memory_order_relaxed);
  settings.idle_timeout_ms.store(idle_timeout_ms, std::memory_order_relaxed);
  settings.close_wait_ms.store(request.close_wait_ms, std::memory_order_relaxed);
  settings.rebalance.store(static_cast<uint32_t>(request.rebalance), std::memory_order_relaxed);
  settings.traits.store(
      (request.persistent ? kPersistent : 0u) | (request.accept_gate ? kAcceptGate : 0u),
      std::memory_order_relaxed);
  settings.min_idle.store(request.min_idle, std::memory_order_relaxed);
  settings.max_waiting.store(request.max_waiting, std::memory_order_relaxed);
  settings.max_lifetime_ms.store(static_cast<uint64_t>(request.max_lifetime_ms),
                                 std::memory_order_relaxed);
  settings.leak_after_ms.store(static_cast<uint64_t>(request.leak_after_ms),
                               std::memory_order_relaxed);
  pool.settings_changed_ns.store(now_ns, std::memory_order_relaxed);
  pool.settings_serial.store(started_serial, std::memory_order_relaxed);
}

void remove_if_unused(const TableLock& lock, PoolRecord& pool) {
  if (pool.seats.load(std::memory_order_relaxed) != 0) return;
  if (!is_live(pool)) return;
  if ((pool.naming.load(std::memory_order_relaxed) & kGivenName) != 0) return;
  if (all_zero(pool.folded[pool.fold.load(std::memory_order_acquire) & 1])) remove_pool(lock, pool);
}

bool remove_pool(const TableLock& lock, PoolRecord& pool) {
  if (pool.seats.load(std::memory_order_relaxed) != 0) return false;
  // First, so that the sum over all pools that ever were does not go down by them.
  SegmentHeader& header = lock.view().header();
  header.operations_removed.fetch_add(operations(folded_counters(pool)), std::memory_order_relaxed);
  header.pools_removed.fetch_add(1, std::memory_order_relaxed);
  discard_pool_record(lock, pool);
  lock.view().header().pool_table_version.fetch_add(1, std::memory_order_release);
  return true;
}

void discard_pool_record(const TableLock& lock, PoolRecord& pool) {
  const SegmentView& view = lock.view();
  pool.state.store(raw(RecordState::kRemoving), std::memory_order_release);
  const uint64_t id = pool.id.load(std::memory_order_relaxed);
  const uint32_t chunks = view.chunk_count(pool);
  for (uint32_t position = 0; position < chunks; ++position) {
    ChunkRecord* chunk = view.chunk_of(pool, position);
    if (chunk == nullptr || chunk->pool_id.load(std::memory_order_relaxed) != id) continue;
    chunk->pool_id.store(0, std::memory_order_release);
    lower_hint(view, kChunkTable, pool.chunks[position].load(std::memory_order_relaxed));
  }
  pool.chunk_count.store(0, std::memory_order_relaxed);
  pool.state.store(raw(RecordState::kFree), std::memory_order_release);
  lower_hint(view, kPoolTable, view.index_of(pool));
}

}  // namespace oxpool::shm
