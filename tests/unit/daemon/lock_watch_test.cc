#include "daemon/lock_watch.h"

#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kInterval = LockWatch::kPatienceNs / LockWatch::kLooks;

class LockWatchTest : public SegmentFixture {
 protected:
  LockWatchTest() : worker(attach()), pool(make_pool("db", worker.lane)) {}

  void look(uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) watch.look(view(), now_ns += kInterval);
  }

  TestWorker worker;
  shm::PoolRecord& pool;
  LockWatch watch;
  int64_t now_ns = 0;
};

TEST_F(LockWatchTest, WhoIsInsideAtEveryLookIsFrozen) {
  pool.lock.store(worker.lane.raw << 1);
  look(LockWatch::kLooks);
  EXPECT_TRUE(watch.frozen().empty()) << "not long enough";
  look(1);
  const auto frozen = watch.frozen();
  ASSERT_EQ(frozen.size(), 1u);
  EXPECT_EQ(frozen[0].pool, view().index_of(pool));
  EXPECT_EQ(frozen[0].owner, worker.lane);
  EXPECT_EQ(frozen[0].held_ns, LockWatch::kPatienceNs);
  pool.lock.store(0);
  look(1);
  EXPECT_TRUE(watch.frozen().empty());
}

TEST_F(LockWatchTest, WhetherOthersWaitMakesNoDifference) {
  pool.lock.store(worker.lane.raw << 1);
  look(5);
  pool.lock.store(worker.lane.raw << 1 | 1);
  look(4);
  EXPECT_EQ(watch.frozen().size(), 1u);
}

TEST_F(LockWatchTest, ABusyLockIsNotFrozen) {
  const TestWorker other = attach();
  for (int i = 0; i < 10; ++i) {
    pool.lock.store(worker.lane.raw << 1);
    look(LockWatch::kLooks / 2);
    pool.lock.store(other.lane.raw << 1);
    look(LockWatch::kLooks / 2);
  }
  EXPECT_TRUE(watch.frozen().empty());
}

TEST_F(LockWatchTest, LooksThatAreCloseTogetherProveNothing) {
  pool.lock.store(worker.lane.raw << 1);
  for (uint32_t i = 0; i < 100; ++i) watch.look(view(), now_ns += 1000);
  EXPECT_TRUE(watch.frozen().empty());
}

TEST_F(LockWatchTest, TheLockOfTheTables) {
  view().header().table_lock.store(worker.lane.raw << 1);
  look(LockWatch::kLooks + 1);
  ASSERT_EQ(watch.frozen().size(), 1u);
  EXPECT_EQ(watch.frozen()[0].pool, FrozenLock::kTables);
}

TEST_F(LockWatchTest, TheLockOfTheValuesOfMutexes) {
  view().header().value_lock.store(worker.lane.raw << 1);
  look(LockWatch::kLooks + 1);
  ASSERT_EQ(watch.frozen().size(), 1u);
  EXPECT_EQ(watch.frozen()[0].pool, FrozenLock::kValues);
  EXPECT_EQ(watch.frozen()[0].owner, worker.lane);
}

}  // namespace
}  // namespace oxpool::daemon
