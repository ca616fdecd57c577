#include "daemon/pool_report.h"

#include "daemon/segment_report.h"
#include "segment_fixture.h"
#include "shm/operator.h"

namespace oxpool::daemon {
namespace {

using shm::SlotState;

class PoolReportTest : public SegmentFixture {
 protected:
  PoolReportTest() : worker(attach(4711)), pool(make_pool("p\xff\n", worker.lane, 5, 1234)) {}

  PoolReport report() {
    const auto all = report_pools("test", view(), shm::monotonic_ns());
    EXPECT_EQ(1u, all.size());
    return all.at(0);
  }

  TestWorker worker;
  shm::PoolRecord& pool;
};

TEST_F(PoolReportTest, TellsCountsAndSettings) {
  make_slot(pool, worker.lane, SlotState::kInUse);
  make_slot(pool, worker.lane, SlotState::kIdle);
  const PoolReport told = report();
  EXPECT_EQ("test", told.namespace_name);
  EXPECT_EQ("p\xff\n", told.name);
  EXPECT_EQ(1u, told.id);
  EXPECT_EQ(1u, told.counts.in_use);
  EXPECT_EQ(1u, told.counts.idle);
  EXPECT_EQ(5u, told.counts.max_size);
  EXPECT_EQ(5u, told.requested_max_size);
  EXPECT_EQ(0u, told.operator_max_size);
  EXPECT_EQ(1234u, told.idle_timeout_ms);
  EXPECT_EQ(1u, told.workers);
  EXPECT_DOUBLE_EQ(0.2, told.utilization());
  EXPECT_STREQ("handover", told.rebalance_strategy());
  EXPECT_EQ(sizeof(shm::PoolRecord) + sizeof(shm::ChunkRecord), told.memory_bytes);
  EXPECT_EQ(0, told.head_since_ns);
}

TEST_F(PoolReportTest, TellsAnOperatorsCapAndGate) {
  const int64_t now_ns = shm::monotonic_ns();
  ASSERT_EQ(shm::PoolResult::kOk,
            shm::resize_pool(view(), pool, segment->locks(), 9, shm::kLockPatienceNs));
  shm::set_gate(view(), pool, segment->locks(), shm::Gate::kFail,
                now_ns + 10 * shm::kNanosPerSecond);
  const PoolReport told = report();
  EXPECT_EQ(9u, told.operator_max_size);
  EXPECT_EQ(9u, told.counts.max_size);
  EXPECT_EQ(5u, told.requested_max_size);
  EXPECT_EQ(shm::Gate::kFail, told.gate_at(now_ns));
  EXPECT_EQ(shm::Gate::kOpen, told.gate_at(now_ns + 11 * shm::kNanosPerSecond));
}

TEST_F(PoolReportTest, IdleByWorker) {
  const TestWorker other = attach(815);
  for (int i = 0; i < 2; ++i) make_slot(pool, worker.lane, SlotState::kIdle);
  make_slot(pool, other.lane, SlotState::kIdle);
  make_slot(pool, other.lane, SlotState::kInUse);
  const std::map<std::string, uint32_t> expected = {
      {"4711/" + std::to_string(worker.lane.lane()), 2},
      {"815/" + std::to_string(other.lane.lane()), 1}};
  EXPECT_EQ(expected, idle_by_worker(view(), pool));
}

TEST_F(PoolReportTest, TablesAndEventsOfTheSegment) {
  view().header().burials.store(3);
  const SegmentReport told = report_segment("test", view());
  EXPECT_EQ(view().bytes(), told.bytes);
  EXPECT_EQ(1u, told.processes.used);
  EXPECT_EQ(15u, told.processes.room);
  EXPECT_EQ(1u, told.lanes.used);
  EXPECT_EQ(0u, told.extra_tickets.used);
  EXPECT_EQ(4u, told.extra_tickets.room);
  EXPECT_EQ(1u, told.pools.used);
  EXPECT_EQ(8u, told.pools.room);
  EXPECT_EQ(1u, told.seats.used);
  EXPECT_EQ(1u, told.chunks.used);
  EXPECT_EQ(3u, told.burials);
  EXPECT_FALSE(told.broken);
}

TEST_F(PoolReportTest, NoTwoNamespacesGiveTheSameId) {
  NamespaceSegment* other = nullptr;
  ASSERT_FALSE(store.find_or_make("other", &other));
  segment = other;
  make_pool("q", shm::kNobody);
  std::vector<uint64_t> ids;
  store.read([&](const std::string& name, const shm::SegmentView& read) {
    for (const PoolReport& told : report_pools(name, read, shm::monotonic_ns())) {
      ids.push_back(told.id);
    }
  });
  EXPECT_EQ((std::vector<uint64_t>{10'000'000'001, 1}), ids) << "by name of the namespace";
}

}  // namespace
}  // namespace oxpool::daemon
