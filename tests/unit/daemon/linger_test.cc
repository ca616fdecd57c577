#include "daemon/linger.h"

#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

constexpr int64_t kSecond = shm::kNanosPerSecond;
constexpr int64_t kStart = 1'000'000 * kSecond;
constexpr std::chrono::seconds kLinger(10);

class LingerTest : public SegmentFixture {
 protected:
  LingerTest() : worker(attach()) {}

  bool live(const shm::PoolRecord& pool) {
    return pool.state.load() == static_cast<uint32_t>(shm::RecordState::kLive);
  }

  TestWorker worker;
  Linger linger;
};

TEST_F(LingerTest, KeepsAPoolWhileSomebodyIsAttached) {
  auto& pool = make_pool("p", worker.lane);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart), 0u);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 1000 * kSecond), 0u);
  EXPECT_TRUE(live(pool));
  EXPECT_EQ(pool.unattached_since_ns.load(), 0) << "nothing is counted meanwhile";
}

TEST_F(LingerTest, RemovesItOnceNobodyWasAttachedForSoLong) {
  auto& pool = make_pool("p", worker.lane);
  linger.run(*segment, kLinger, kStart);
  leave_all_seats(worker.lane, kStart + kSecond);
  linger.run(*segment, kLinger, kStart + 10 * kSecond);
  EXPECT_TRUE(live(pool));
  linger.run(*segment, kLinger, kStart + 11 * kSecond - 1);
  EXPECT_TRUE(live(pool));
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 11 * kSecond), 1u);
  EXPECT_FALSE(live(pool));
}

TEST_F(LingerTest, APoolThatIsUsedAgainStays) {
  auto& pool = make_pool("p", worker.lane);
  leave_all_seats(worker.lane, kStart);
  linger.run(*segment, kLinger, kStart);
  make_pool("p", worker.lane);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 20 * kSecond), 0u);
  EXPECT_TRUE(live(pool));
}

TEST_F(LingerTest, CountsFromNowWhenTheRecordDoesNotSay) {
  auto& pool = make_pool("p", shm::kNobody);
  pool.unattached_since_ns.store(0);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart), 0u);
  EXPECT_EQ(pool.unattached_since_ns.load(), kStart);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 10 * kSecond), 1u);
}

TEST_F(LingerTest, AShorterTimeCountsAtOnce) {
  auto& pool = make_pool("p", shm::kNobody);
  pool.unattached_since_ns.store(kStart);
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 2 * kSecond), 0u);
  EXPECT_EQ(linger.run(*segment, std::chrono::seconds(1), kStart + 2 * kSecond), 1u);
  EXPECT_FALSE(live(pool));
}

TEST_F(LingerTest, WaitsForTheTableLockAndTriesAgain) {
  auto& pool = make_pool("p", shm::kNobody);
  pool.unattached_since_ns.store(kStart);
  const shm::Liveness liveness;  // never asked: the worker below is alive
  {
    shm::LockContext stopped{worker.lane, &liveness};
    shm::TableLock held(view(), stopped, 0);
    ASSERT_TRUE(held.held());
    EXPECT_EQ(linger.run(*segment, kLinger, kStart + 10 * kSecond), 0u);
  }
  EXPECT_TRUE(live(pool));
  EXPECT_EQ(linger.run(*segment, kLinger, kStart + 12 * kSecond), 1u);
}

}  // namespace
}  // namespace oxpool::daemon
