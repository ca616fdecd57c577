// Death under the table lock. The steps of making a pool:
//   1 free hint raised  2 BUILDING  3 record filled  4 chunk owned  5 chunk listed  6 chunk counted
//   7 LIVE
// of removing one:  1 REMOVING  2 a chunk freed  3 all freed  4 none counted  5 FREE
// of sitting down:  1 BUILDING  2 filled  3 LIVE  4 counted
// of leaving:       1 REMOVING  2 spare copy written  3 fold switched  4 owner gone  5 FREE  6
// uncounted
#include <stdexcept>

#include "shm/pool_table.h"
#include "shm/seat.h"
#include "tests/unit/repair_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::expect_whole;

constexpr uint32_t raw(RecordState state) { return static_cast<uint32_t>(state); }

// No half-made record is left, and every chunk is either free or listed by the pool that owns it.
void expect_whole_tables(const SegmentView& view) {
  uint32_t listed = 0;
  for (uint32_t i = 0; i < view.count(kPoolTable); ++i) {
    const PoolRecord& pool = *view.pool(i);
    EXPECT_TRUE(pool.state == raw(RecordState::kFree) || pool.state == raw(RecordState::kLive));
    if (pool.state != raw(RecordState::kLive)) continue;
    for (uint32_t position = 0; position < view.chunk_count(pool); ++position) {
      const ChunkRecord* chunk = view.chunk_of(pool, position);
      ASSERT_NE(nullptr, chunk);
      EXPECT_EQ(pool.id.load(), chunk->pool_id.load());
      EXPECT_EQ(position, chunk->position.load());
      ++listed;
    }
    uint32_t seats = 0;
    for (uint32_t seat = 0; seat < view.count(kSeatTable); ++seat) {
      if (view.seat(seat)->state == raw(RecordState::kLive) && view.seat(seat)->pool == i) ++seats;
    }
    EXPECT_EQ(seats, pool.seats.load()) << "pool " << i;
    EXPECT_EQ(seats == 0, pool.unattached_since_ns != 0) << "pool " << i;
  }
  uint32_t owned = 0;
  for (uint32_t i = 0; i < view.count(kChunkTable); ++i) {
    if (view.chunk(i)->pool_id != 0) ++owned;
  }
  EXPECT_EQ(listed, owned) << "a chunk is owned and not listed";
  for (uint32_t i = 0; i < view.count(kSeatTable); ++i) {
    const uint32_t state = view.seat(i)->state;
    EXPECT_TRUE(state == raw(RecordState::kFree) || state == raw(RecordState::kLive));
  }
}

// The 8 chunks of the segment less `used` can be had by one further pool.
void expect_room_for_the_rest(Repair& host, uint32_t used) {
  PoolRecord& rest = host.make_pool("rest", (8 - used) * kSlotsPerChunk, *host.healer_);
  EXPECT_EQ(8 - used, rest.chunk_count.load());
}

template <typename Record>
Record& existing(Record* record) {
  if (record == nullptr) throw std::out_of_range("no such record");
  return *record;
}

void own_chunk(Repair& host, uint32_t chunk_index, PoolRecord& pool, uint32_t position) {
  ChunkRecord& chunk = existing(host.view().chunk(chunk_index));
  host.view().raise_high_water(kChunkTable, chunk_index + 1);
  host.view().header().lowest_free[kChunkTable] = chunk_index + 1;
  chunk.pool = host.view().index_of(pool);
  chunk.position = position;
  for (SlotRecord& slot : chunk.slots) slot.word = SlotWord::retired().raw;
  chunk.pool_id = pool.id.load();
}

void died_making_a_pool(Repair& host, int step) {
  PoolRecord& neighbour = host.saturated("neighbour", 2);  // pool 0 with chunk 0
  PoolRecord& pool = existing(host.view().pool(1));
  if (step >= 1) {
    host.view().header().lowest_free[kPoolTable] = 2;
    host.view().raise_high_water(kPoolTable, 2);
  }
  if (step >= 2) pool.state = raw(RecordState::kBuilding);
  if (step >= 3) {
    pool.id = 77;
    pool.name_bytes = 3;
    pool.unattached_since_ns = 5;
  }
  if (step >= 4) own_chunk(host, 1, pool, 0);
  if (step >= 5) pool.chunks[0] = 1;
  if (step >= 6) pool.chunk_count = 1;
  if (step >= 7) pool.state = raw(RecordState::kLive);
  host.die_inside(host.view().header().table_lock);
  host.heal_tables();
  expect_whole_tables(host.view());
  EXPECT_EQ(step >= 7 ? raw(RecordState::kLive) : raw(RecordState::kFree), pool.state.load());
  expect_whole(host.view(), neighbour, 2);
  expect_room_for_the_rest(host, step >= 7 ? 2 : 1);
}

TEST_F(Repair, DiedAfterPoolRecordWasChosen) { died_making_a_pool(*this, 1); }
TEST_F(Repair, DiedAfterPoolWasBegun) { died_making_a_pool(*this, 2); }
TEST_F(Repair, DiedAfterPoolWasFilled) { died_making_a_pool(*this, 3); }
TEST_F(Repair, DiedAfterPoolsChunkWasOwned) { died_making_a_pool(*this, 4); }
TEST_F(Repair, DiedAfterPoolsChunkWasListed) { died_making_a_pool(*this, 5); }
TEST_F(Repair, DiedAfterPoolsChunkWasCounted) { died_making_a_pool(*this, 6); }
TEST_F(Repair, DiedAfterPoolWasLive) { died_making_a_pool(*this, 7); }

void died_growing_a_pool(Repair& host, int step) {
  PoolRecord& pool = host.saturated("grows", 2);
  if (step >= 1) own_chunk(host, 1, pool, 1);
  if (step >= 2) pool.chunks[1] = 1;
  if (step >= 3) pool.chunk_count = 2;
  host.die_inside(host.view().header().table_lock);
  host.heal_tables();
  expect_whole_tables(host.view());
  EXPECT_EQ(step >= 3 ? 2u : 1u, pool.chunk_count.load());
  expect_whole(host.view(), pool, 2);
  expect_room_for_the_rest(host, step >= 3 ? 2 : 1);
}

TEST_F(Repair, DiedAfterFurtherChunkWasOwned) { died_growing_a_pool(*this, 1); }
TEST_F(Repair, DiedAfterFurtherChunkWasListed) { died_growing_a_pool(*this, 2); }
TEST_F(Repair, DiedAfterFurtherChunkWasCounted) { died_growing_a_pool(*this, 3); }

void died_removing_a_pool(Repair& host, int step) {
  PoolRecord& neighbour = host.saturated("neighbour", 2);
  PoolRecord& pool = host.make_pool("goes", 64, *host.healer_);  // chunks 1 and 2
  {
    TableLock tables(host.view(), host.healer_->context(), 0);
    leave_seat(tables, 1, 5);
  }
  if (step >= 1) pool.state = raw(RecordState::kRemoving);
  if (step >= 2) existing(host.view().chunk(1)).pool_id = 0;
  if (step >= 3) existing(host.view().chunk(2)).pool_id = 0;
  if (step >= 4) pool.chunk_count = 0;
  if (step >= 5) pool.state = raw(RecordState::kFree);
  host.die_inside(host.view().header().table_lock);
  host.heal_tables();
  expect_whole_tables(host.view());
  EXPECT_EQ(raw(RecordState::kFree), pool.state.load());
  expect_whole(host.view(), neighbour, 2);
  expect_room_for_the_rest(host, 1);
}

TEST_F(Repair, DiedAfterRemovalWasBegun) { died_removing_a_pool(*this, 1); }
TEST_F(Repair, DiedAfterRemovalFreedAChunk) { died_removing_a_pool(*this, 2); }
TEST_F(Repair, DiedAfterRemovalFreedAllChunks) { died_removing_a_pool(*this, 3); }
TEST_F(Repair, DiedAfterRemovalForgotItsChunks) { died_removing_a_pool(*this, 4); }
TEST_F(Repair, DiedAfterRemovalFreedTheRecord) { died_removing_a_pool(*this, 5); }

uint64_t mints(Repair& host, const PoolRecord& pool) {
  std::vector<CounterSums> sums;
  sum_counters(host.view(), &sums);
  return sums[host.view().index_of(pool)][Counter::mints];
}

// Seat 0 is the holder's; seat 1 was somebody's before.
void died_sitting_down(Repair& host, int step) {
  PoolRecord& pool = host.saturated("p", 1);
  SeatRecord& seat = existing(host.view().seat(1));
  seat.counts.counters[static_cast<int>(Counter::mints)] = 1000;
  host.view().raise_high_water(kSeatTable, 2);
  host.view().header().lowest_free[kSeatTable] = 2;
  if (step >= 1) seat.state = raw(RecordState::kBuilding);
  if (step >= 2) {
    seat.counts.counters[static_cast<int>(Counter::mints)] = 0;
    seat.pool = host.view().index_of(pool);
    seat.pool_id = pool.id.load();
    seat.owner = host.victim_->id().raw;
    seat.serial = 99;
  }
  if (step >= 3) seat.state = raw(RecordState::kLive);
  if (step >= 4) pool.seats = 2;
  host.die_inside(host.view().header().table_lock);
  host.heal_tables();
  expect_whole_tables(host.view());
  EXPECT_EQ(step >= 3 ? 2u : 1u, pool.seats.load());
  EXPECT_EQ(0u, mints(host, pool));
}

TEST_F(Repair, DiedAfterSeatWasBegun) { died_sitting_down(*this, 1); }
TEST_F(Repair, DiedAfterSeatWasFilled) { died_sitting_down(*this, 2); }
TEST_F(Repair, DiedAfterSeatWasLive) { died_sitting_down(*this, 3); }
TEST_F(Repair, DiedAfterSeatWasCounted) { died_sitting_down(*this, 4); }

void died_leaving(Repair& host, int step) {
  constexpr int kMints = static_cast<int>(Counter::mints);
  PoolRecord& pool = host.saturated("p", 1);
  SeatRecord& seat = existing(host.view().seat(0));
  seat.counts.counters[kMints] = 5;
  if (step >= 1) seat.state = raw(RecordState::kRemoving);
  if (step >= 2) pool.folded[1].counters[kMints] = 5;
  if (step >= 3) pool.fold = seat.serial << 1 | 1;
  if (step >= 4) seat.owner = 0;
  if (step >= 5) seat.state = raw(RecordState::kFree);
  if (step >= 6) pool.seats = 0;
  host.die_inside(host.view().header().table_lock);
  host.heal_tables();
  expect_whole_tables(host.view());
  EXPECT_EQ(5u, mints(host, pool));
  EXPECT_EQ(0u, pool.seats.load());
  EXPECT_EQ(raw(RecordState::kFree), seat.state.load());
}

TEST_F(Repair, DiedAfterLeavingWasBegun) { died_leaving(*this, 1); }
TEST_F(Repair, DiedAfterLeavingWroteTheSpareCopy) { died_leaving(*this, 2); }
TEST_F(Repair, DiedAfterLeavingSwitchedTheFold) { died_leaving(*this, 3); }
TEST_F(Repair, DiedAfterLeavingForgotTheOwner) { died_leaving(*this, 4); }
TEST_F(Repair, DiedAfterLeavingFreedTheSeat) { died_leaving(*this, 5); }
TEST_F(Repair, DiedAfterLeavingUncountedTheSeat) { died_leaving(*this, 6); }

}  // namespace
}  // namespace oxpool::shm
