// Pools found, made, configured, reused and removed.
#include "shm/pool_table.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/pool_inspection.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::expect_whole;
using test::SegmentHost;

// 4 pools, 8 chunks of 32 slots.
class PoolTable : public SegmentHost {
 protected:
  PoolTable() : worker_(attach()) {}

  PoolResult open(std::string_view name, uint32_t max_size = 4, uint32_t* index = nullptr) {
    PoolRequest request;
    request.max_size = max_size;
    uint32_t ignored;
    TableLock tables(view(), worker_->context(), 0);
    return find_or_make_pool(tables, name, request, ++clock_ns_,
                             index != nullptr ? index : &ignored);
  }
  PoolRecord* find(std::string_view name) {
    TableLock tables(view(), worker_->context(), 0);
    const uint32_t index = find_pool(tables, name);
    return index == kNoIndex ? nullptr : view().pool(index);
  }
  // Attaches, so that the record is not reused.
  uint32_t sit_down(PoolRecord& pool) {
    TableLock tables(view(), worker_->context(), 0);
    uint32_t seat;
    EXPECT_EQ(PoolResult::kOk, take_seat(tables, view().index_of(pool), worker_->id(), &seat));
    return seat;
  }
  void stand_up(uint32_t seat) {
    TableLock tables(view(), worker_->context(), 0);
    leave_seat(tables, seat, ++clock_ns_);
  }
  uint32_t free_chunks() {
    uint32_t count = 0;
    for (uint32_t i = 0; i < view().count(kChunkTable); ++i) {
      if (view().chunk(i)->pool_id == 0) ++count;
    }
    return count;
  }

  std::unique_ptr<AttachedLane> worker_;
  int64_t clock_ns_ = 0;
};

TEST_F(PoolTable, PoolIsMadeOnceAndFoundAgain) {
  uint32_t first;
  uint32_t second;
  ASSERT_EQ(PoolResult::kOk, open("orders", 4, &first));
  ASSERT_EQ(PoolResult::kOk, open("orders", 4, &second));
  EXPECT_EQ(first, second);
  PoolRecord& pool = *view().pool(first);
  EXPECT_EQ(1u, pool.id.load());
  EXPECT_EQ("orders", pool_name(pool));
  EXPECT_EQ(&pool, find("orders"));
  EXPECT_EQ(nullptr, find("order"));
  EXPECT_EQ(nullptr, find("orders "));
}

TEST_F(PoolTable, NamesAreAnyBytes) {
  const std::string with_nul("a\0b", 3);
  const std::string with_other_tail("a\0c", 3);
  const std::string longest(255, '\xff');
  ASSERT_EQ(PoolResult::kOk, open(with_nul));
  ASSERT_EQ(PoolResult::kOk, open(with_other_tail));
  ASSERT_EQ(PoolResult::kOk, open(longest));
  EXPECT_NE(find(with_nul), find(with_other_tail));
  EXPECT_EQ(nullptr, find("a"));
  EXPECT_EQ(with_nul, pool_name(*find(with_nul)));
  EXPECT_EQ(longest, pool_name(*find(longest)));
  EXPECT_EQ(nullptr, find(longest.substr(1)));
}

TEST_F(PoolTable, NameThatDoesNotFitIsRefusedAndWritesNothing) {
  ASSERT_EQ(PoolResult::kOk, open("a"));
  const uint32_t chunk = find("a")->chunks[0];
  EXPECT_EQ(PoolResult::kTooLarge, open(std::string(256, 'x')));
  EXPECT_EQ(PoolResult::kTooLarge, open(std::string(2000, 'x')));
  EXPECT_EQ(1u, view().high_water(kPoolTable));
  EXPECT_EQ(chunk, find("a")->chunks[0]);
}

TEST_F(PoolTable, MoreSlotsThanAPoolCanHaveAreRefused) {
  EXPECT_EQ(PoolResult::kTooLarge, open("big", kMaxSlotsPerPool + 1));
  EXPECT_EQ(PoolResult::kTooLarge, open("big", kNoIndex));
  EXPECT_EQ(nullptr, find("big"));
}

TEST_F(PoolTable, ChunksAreTakenForTheSizeAskedFor) {
  ASSERT_EQ(PoolResult::kOk, open("p", 1));
  EXPECT_EQ(1u, find("p")->chunk_count.load());
  ASSERT_EQ(PoolResult::kOk, open("p", 32));
  EXPECT_EQ(1u, find("p")->chunk_count.load());
  ASSERT_EQ(PoolResult::kOk, open("p", 33));
  EXPECT_EQ(2u, find("p")->chunk_count.load());
  EXPECT_EQ(6u, free_chunks());
  EXPECT_NE(nullptr, view().slot(*find("p"), 63));
  EXPECT_EQ(nullptr, view().slot(*find("p"), 64));
}

TEST_F(PoolTable, NoChunkLeftLeavesNoTrace) {
  ASSERT_EQ(PoolResult::kOk, open("a", 6 * 32));
  sit_down(*find("a"));
  EXPECT_EQ(PoolResult::kNoChunk, open("b", 3 * 32));
  EXPECT_EQ(nullptr, find("b"));
  EXPECT_EQ(2u, free_chunks());
  EXPECT_EQ(PoolResult::kOk, open("c", 2 * 32));
  EXPECT_EQ(6u, find("a")->chunk_count.load());
}

TEST_F(PoolTable, FullTableReusesTheLongestUnattached) {
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_EQ(PoolResult::kOk, open(name));
  const uint32_t kept = sit_down(*find("a"));
  const uint32_t left = sit_down(*find("b"));
  stand_up(left);  // after c and d were made
  const uint64_t id_of_c = find("c")->id;
  ASSERT_EQ(PoolResult::kOk, open("e"));
  EXPECT_EQ(nullptr, find("c"));
  EXPECT_NE(nullptr, find("a"));
  EXPECT_NE(nullptr, find("b"));
  EXPECT_NE(nullptr, find("d"));
  EXPECT_LT(id_of_c, find("e")->id);
  stand_up(kept);
}

TEST_F(PoolTable, FullTableOfAttachedPoolsIsRefused) {
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_EQ(PoolResult::kOk, open(name));
    sit_down(*find(name));
  }
  EXPECT_EQ(PoolResult::kNoPool, open("e"));
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_NE(nullptr, find(name));
}

TEST_F(PoolTable, ChunksOfUnattachedPoolsAreReused) {
  ASSERT_EQ(PoolResult::kOk, open("old", 4 * 32));
  ASSERT_EQ(PoolResult::kOk, open("young", 4 * 32));
  ASSERT_EQ(PoolResult::kOk, open("new", 2 * 32));
  EXPECT_EQ(nullptr, find("old"));
  EXPECT_NE(nullptr, find("young"));
  EXPECT_EQ(2u, find("new")->chunk_count.load());
  EXPECT_EQ(2u, free_chunks());
}

TEST_F(PoolTable, GrowingPoolIsNotReusedForItself) {
  ASSERT_EQ(PoolResult::kOk, open("grows", 4 * 32));  // the longest unattached
  ASSERT_EQ(PoolResult::kOk, open("other", 4 * 32));
  const uint64_t id = find("grows")->id;
  uint32_t index;
  ASSERT_EQ(PoolResult::kOk, open("grows", 5 * 32, &index));
  ASSERT_EQ(find("grows"), view().pool(index)) << "the record that was handed out is not live";
  EXPECT_EQ(id, find("grows")->id);
  EXPECT_EQ(nullptr, find("other"));
  std::set<uint32_t> chunks;
  for (uint32_t i = 0; i < 5; ++i) chunks.insert(find("grows")->chunks[i]);
  EXPECT_EQ(5u, chunks.size()) << "a chunk is listed twice";
}

TEST_F(PoolTable, AGrowthThatIsRefusedTakesNothingAndRemovesNobody) {
  ASSERT_EQ(PoolResult::kOk, open("grows", 32));
  sit_down(*find("grows"));
  ASSERT_EQ(PoolResult::kOk, open("used", 32));
  sit_down(*find("used"));
  ASSERT_EQ(PoolResult::kOk, open("lingers", 32));
  EXPECT_EQ(PoolResult::kNoChunk, open("grows", 8 * 32));
  EXPECT_EQ(1u, find("grows")->chunk_count.load());
  EXPECT_EQ(5u, free_chunks());
  EXPECT_NE(nullptr, find("lingers"));
  EXPECT_EQ(PoolResult::kOk, open("grows", 7 * 32)) << "with the room of the one that lingers";
}

TEST_F(PoolTable, GrowingPoolAloneIsRefusedAndStays) {
  ASSERT_EQ(PoolResult::kOk, open("grows", 8 * 32));
  EXPECT_EQ(PoolResult::kNoChunk, open("grows", 9 * 32));
  ASSERT_NE(nullptr, find("grows"));
  EXPECT_EQ(8u, find("grows")->chunk_count.load());
}

TEST_F(PoolTable, IdsAreNeverReused) {
  std::set<uint64_t> ids;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "pool " + std::to_string(i);
    ASSERT_EQ(PoolResult::kOk, open(name));
    EXPECT_TRUE(ids.insert(find(name)->id).second);
  }
  EXPECT_LE(*ids.rbegin(), uint64_t{1} << 53);
  EXPECT_EQ(4u, view().high_water(kPoolTable));
}

TEST_F(PoolTable, ReusedRecordStartsClean) {
  PoolRecord& pool = make_pool("first", 3, *worker_);
  pool.operator_max_size = 7;
  pool.factory_mean_ns = 5;
  pool.folded[0].counters[0] = 11;
  pool.folded[1].wait_buckets[0] = 11;
  stand_up(0);
  {
    TableLock tables(view(), worker_->context(), 0);
    ASSERT_TRUE(remove_pool(tables, pool));
  }
  PoolRecord& again = make_pool("second", 2, *worker_);
  ASSERT_EQ(&pool, &again);
  EXPECT_EQ("second", pool_name(again));
  EXPECT_EQ(0u, again.operator_max_size.load());
  EXPECT_EQ(0u, again.factory_mean_ns.load());
  std::vector<CounterSums> sums;
  sum_counters(view(), &sums);
  EXPECT_EQ(0u, sums[0].counters[0]);
  EXPECT_EQ(0u, sums[0].wait_buckets[0]);
  expect_whole(view(), again, 2);
}

TEST_F(PoolTable, AttachedPoolIsNotRemoved) {
  PoolRecord& pool = make_pool("p", 3, *worker_);
  const uint64_t version = view().header().pool_table_version;
  TableLock tables(view(), worker_->context(), 0);
  EXPECT_FALSE(remove_pool(tables, pool));
  EXPECT_EQ(version, view().header().pool_table_version);
  leave_seat(tables, 0, 5);
  EXPECT_TRUE(remove_pool(tables, pool));
  EXPECT_LT(version, view().header().pool_table_version);
  EXPECT_EQ(kNoIndex, find_pool(tables, "p"));
  EXPECT_EQ(8u, free_chunks());
}

TEST_F(PoolTable, SettingsOfTheLaterProcessWin) {
  ASSERT_EQ(PoolResult::kOk, open("p", 4));
  PoolRecord& pool = *find("p");
  const auto ask = [&](uint32_t max_size, int64_t idle_timeout_ms, uint64_t serial) {
    PoolRequest request;
    request.max_size = max_size;
    request.idle_timeout_ms = idle_timeout_ms;
    bool disagreed;
    request_settings(pool, request, serial, 1, &disagreed);
    return disagreed;
  };
  EXPECT_FALSE(ask(5, 1000, 10)) << "nobody had asked before";
  EXPECT_EQ(5u, pool.settings.max_size.load());
  EXPECT_TRUE(ask(6, 1000, 9)) << "an earlier process says so, and changes nothing";
  EXPECT_EQ(5u, pool.settings.max_size.load());
  EXPECT_TRUE(ask(7, 1000, 11));
  EXPECT_EQ(7u, pool.settings.max_size.load());
  EXPECT_TRUE(ask(7, 2000, 12));
  EXPECT_EQ(2000u, pool.settings.idle_timeout_ms.load());
  EXPECT_FALSE(ask(7, 2000, 13));
  EXPECT_FALSE(ask(8, 2000, 13)) << "a process may change its own mind";
  EXPECT_EQ(8u, pool.settings.max_size.load());
}

}  // namespace
}  // namespace oxpool::shm
