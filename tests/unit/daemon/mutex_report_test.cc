#include "daemon/mutex_report.h"

#include "daemon/host_report.h"
#include "segment_fixture.h"

namespace oxpool::daemon {
namespace {

class MutexReportTest : public SegmentFixture {
 protected:
  MutexReportTest() : worker(attach(4711)), mutex(make_mutex("m\xff\n", worker.lane)) {}

  MutexReport report() {
    const int64_t now_ns = shm::monotonic_ns();
    const auto all = report_mutexes("test", view(), now_ns);
    EXPECT_EQ(1u, all.size());
    const MutexReport one = report_mutex("test", view(), mutex, now_ns);
    EXPECT_EQ(all.at(0).id, one.id);
    EXPECT_EQ(all.at(0).waiters, one.waiters);
    EXPECT_EQ(all.at(0).sums.acquires, one.sums.acquires);
    return all.at(0);
  }
  void leave(shm::OwnerId lane) {
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    shm::leave_mutex_seat(lock, view().index_of(seat_at(mutex, lane)));
  }

  TestWorker worker;
  shm::MutexRecord& mutex;
};

TEST_F(MutexReportTest, OneThatNobodyHasEverLocked) {
  const MutexReport told = report();
  EXPECT_EQ("test", told.namespace_name);
  EXPECT_EQ("m\xff\n", told.name);
  EXPECT_EQ(1u, told.id);
  EXPECT_TRUE(told.given_name);
  EXPECT_FALSE(told.recovers);
  EXPECT_FALSE(told.removed);
  EXPECT_FALSE(told.corrupted);
  EXPECT_FALSE(told.holder);
  EXPECT_EQ(0u, told.waiters);
  EXPECT_EQ(0u, told.sums.acquires);
  EXPECT_EQ(0, told.sums.last_ns);
  EXPECT_EQ(1u, told.sums.seats);
  EXPECT_EQ(1u, told.value_bytes);
  EXPECT_EQ(sizeof(shm::MutexRecord) + sizeof(shm::MutexSeatRecord), told.memory_bytes);
  mutex.on_owner_death.store(static_cast<uint32_t>(shm::OnOwnerDeath::kRecover));
  mutex.naming.store(0);
  EXPECT_TRUE(report().recovers);
  EXPECT_FALSE(report().given_name);
}

TEST_F(MutexReportTest, WhoHasItAndHowManyWait) {
  ASSERT_TRUE(shm::lock_if_open(mutex, worker.lane));
  const TestWorker waiter = attach();
  shm::join_mutex(view(), mutex, {waiter.lane.lane(), waiter.lane, 0, shm::kNoDeadline});
  const MutexReport told = report();
  ASSERT_TRUE(told.holder);
  EXPECT_EQ("4711/" + std::to_string(worker.lane.lane()), told.holder->text());
  EXPECT_EQ(1u, told.waiters);
}

TEST_F(MutexReportTest, CountsOfWorkersThatLeftStay) {
  const TestWorker other = attach();
  make_mutex("m\xff\n", other.lane);
  seat_at(mutex, worker.lane).acquires.store(5);
  seat_at(mutex, other.lane).acquires.store(7);
  seat_at(mutex, other.lane).contended.store(2);
  seat_at(mutex, other.lane).last_ns.store(1234);
  leave(other.lane);
  const MutexReport told = report();
  EXPECT_EQ(12u, told.sums.acquires);
  EXPECT_EQ(2u, told.sums.contended);
  EXPECT_EQ(1234, told.sums.last_ns);
  EXPECT_EQ(1u, told.sums.seats);
}

TEST_F(MutexReportTest, LocksOfRemovedOnesAreStillCounted) {
  seat_at(mutex, worker.lane).acquires.store(5);
  EXPECT_EQ(5u, report_host(store).mutex_totals().operations);
  {
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    shm::remove_mutex_name(lock, mutex);
  }
  leave(worker.lane);
  const HostReport host = report_host(store);
  EXPECT_TRUE(host.mutexes.empty());
  EXPECT_EQ(5u, host.mutex_totals().operations);
  EXPECT_EQ(1u, host.segments.at(0).mutexes_removed);
  EXPECT_EQ(0u, host.pool_totals().operations);
}

TEST_F(MutexReportTest, ACorruptedOneThatWasReplacedIsNoTrouble) {
  mutex.lock.store(shm::MutexWord::kCorrupted);
  EXPECT_TRUE(report().corrupted);
  {
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    shm::remove_mutex_name(lock, mutex);
  }
  EXPECT_TRUE(report().removed);
  EXPECT_FALSE(report().corrupted) << "nobody waits for it to be reset";
}

TEST_F(MutexReportTest, NoTimeIsYoungerThanNow) {
  seat_at(mutex, worker.lane).last_ns.store(INT64_MAX);
  mutex.created_ns.store(INT64_MAX);
  const int64_t before_ns = shm::monotonic_ns();
  const MutexReport told = report();
  EXPECT_GE(told.sums.last_ns, before_ns);
  EXPECT_LE(told.sums.last_ns, shm::monotonic_ns());
  EXPECT_LE(told.created_ns, shm::monotonic_ns());
  seat_at(mutex, worker.lane).last_ns.store(INT64_MIN);
  EXPECT_EQ(0, report().sums.last_ns);
}

TEST_F(MutexReportTest, ANamespacesUseOfTheValueAreaIsItsSaturation) {
  make_mutex("long", worker.lane, std::string(48 * shm::kUnitBytes, 'x'));
  const HostReport host = report_host(store);
  const TableUse units = host.segments.at(0).value_units;
  EXPECT_GE(units.used, 48u) << "with room to grow";
  EXPECT_EQ(64u, units.room);
  EXPECT_EQ(2u, host.segments.at(0).mutex_seats.used);
  EXPECT_DOUBLE_EQ(units.used / 64.0, host.saturation().bytes);
  EXPECT_DOUBLE_EQ(0.5, host.saturation().entries) << "2 of 4 mutexes";
  EXPECT_EQ(48 * shm::kUnitBytes, host.mutexes.at(1).value_bytes);
  EXPECT_EQ(sizeof(shm::MutexRecord) + sizeof(shm::MutexSeatRecord) + units.used * shm::kUnitBytes,
            host.mutexes.at(1).memory_bytes);
}

}  // namespace
}  // namespace oxpool::daemon
