// One mutex, its lock and its value, as a lane sees them.
#include "client/mutex.h"

#include <gtest/gtest.h>

#include <string>

#include "shm/burial.h"
#include "shm/mutex_inspection.h"
#include "shm/unit_map.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class MutexOf : public ::testing::Test {
 protected:
  MutexOf() : server_(few()), first_(server_.runtime_dir()), second_(server_.runtime_dir()) {}

  shm::MutexRequest named(std::string_view initial = {}) {
    shm::MutexRequest request;
    request.given_name = true;
    request.initial = initial;
    return request;
  }
  Status attach_status(const std::string& name, const shm::MutexRequest& request) {
    std::unique_ptr<Mutex> mutex;
    return first_.lane().attach_mutex(name, request, &mutex).status;
  }
  static std::string read(const Mutex& mutex) {
    std::string bytes;
    EXPECT_TRUE(mutex.copy_value(&bytes));
    return bytes;
  }
  void put(Mutex& mutex, std::string_view bytes) {
    ASSERT_EQ(Status::kOk, mutex.lock(0));
    ASSERT_EQ(Status::kOk, mutex.commit(bytes));
    ASSERT_TRUE(mutex.unlock());
  }
  const shm::SegmentView& view() { return server_.view(); }
  uint32_t mutexes() {
    uint32_t live = 0;
    shm::for_each_live_mutex(view(), [&](shm::MutexRecord&) { ++live; });
    return live;
  }

  HandshakeServer server_;
  Worker first_;
  Worker second_;
};

TEST_F(MutexOf, ValueOfTheMakerIsFoundByWhoJoins) {
  auto a = first_.open_mutex("m", named("one"));
  auto b = second_.open_mutex("m", named("another"));
  EXPECT_EQ(a->id(), b->id());
  EXPECT_EQ("m", b->name());
  EXPECT_EQ("one", read(*b)) << "who joins does not begin anew";
  EXPECT_EQ(1u, b->version());
}

TEST_F(MutexOf, CommittedValueIsSeenByTheNextHolderWithAnotherVersion) {
  auto a = first_.open_mutex("m", named("one"));
  auto b = second_.open_mutex("m");
  put(*a, "two");
  ASSERT_EQ(Status::kOk, b->lock(Mutex::kForever));
  EXPECT_EQ("two", b->value().bytes);
  EXPECT_EQ(2u, b->value().version);
  EXPECT_EQ(Status::kOk, b->commit(std::string("\0\xff", 2)));
  EXPECT_EQ(std::string("\0\xff", 2), b->value().bytes);
  EXPECT_TRUE(b->unlock());
  EXPECT_EQ(3u, a->version());
}

TEST_F(MutexOf, NothingIsCommittedByUnlockAndDiscard) {
  auto a = first_.open_mutex("m", named("one"));
  ASSERT_EQ(Status::kOk, a->lock(0));
  EXPECT_TRUE(a->unlock());
  ASSERT_EQ(Status::kOk, a->lock(0));
  a->discard();
  a->discard();
  EXPECT_FALSE(a->held());
  EXPECT_EQ(1u, a->version());
  ASSERT_EQ(Status::kOk, a->lock(0));
  a.reset();
  auto b = second_.open_mutex("m");
  EXPECT_EQ(Status::kOk, b->lock(0)) << "the handle went with its lock";
}

TEST_F(MutexOf, OnlyOneHasIt) {
  auto a = first_.open_mutex("m");
  auto b = second_.open_mutex("m");
  ASSERT_EQ(Status::kOk, a->lock(0));
  EXPECT_EQ(Status::kSaturated, b->lock(0));
  EXPECT_NE(std::string::npos, b->describe(Status::kSaturated).find("somebody has the lock"));
  EXPECT_EQ(Status::kTimeout, b->lock(2 * kMilli));
  EXPECT_NE(std::string::npos, b->describe(Status::kTimeout).find("within"));
  EXPECT_FALSE(b->held());
  EXPECT_EQ(0u, a->waiters());
  EXPECT_TRUE(a->unlock());
  EXPECT_EQ(Status::kOk, b->lock(0));
}

TEST_F(MutexOf, LockingTwiceIsADeadlockAtOnce) {
  auto a = first_.open_mutex("m");
  ASSERT_EQ(Status::kOk, a->lock(0));
  EXPECT_EQ(Status::kDeadlock, a->lock(0));
  EXPECT_EQ(Status::kDeadlock, a->lock(kSecond));
  EXPECT_EQ(Status::kDeadlock, a->lock(Mutex::kForever));
  EXPECT_EQ("", a->ring());
  EXPECT_NE(std::string::npos, a->describe(Status::kDeadlock).find("wait for itself"));
  EXPECT_EQ(3u, view().header().deadlocks.load());
  EXPECT_TRUE(a->held());
  EXPECT_TRUE(a->unlock());
}

TEST_F(MutexOf, ValueOfAnyLength) {
  auto a = first_.open_mutex("m");
  auto b = second_.open_mutex("m");
  for (const size_t bytes : {0, 1, 7, 8, 9, 127, 128, 129, 256, 257, 5000, 3, 10'000, 128, 0}) {
    std::string value(bytes, '\0');
    for (size_t i = 0; i < bytes; ++i) value[i] = static_cast<char>(i * 31 + bytes);
    put(*a, value);
    EXPECT_EQ(value, read(*b)) << bytes;
    ASSERT_EQ(Status::kOk, b->lock(0));
    EXPECT_EQ(value, b->value().bytes) << bytes;
    EXPECT_TRUE(b->unlock());
  }
}

TEST_F(MutexOf, ValueAboveTheLimitIsRefusedAndTheOldOneStays) {
  view().header().value_limit_bytes = 100;
  auto a = first_.open_mutex("m", named("old"));
  ASSERT_EQ(Status::kOk, a->lock(0));
  EXPECT_EQ(Status::kTooLarge, a->commit(std::string(101, 'x')));
  EXPECT_NE(std::string::npos, a->describe(Status::kTooLarge).find("limit of 100 bytes"));
  EXPECT_EQ("old", a->value().bytes);
  EXPECT_EQ(Status::kOk, a->commit(std::string(100, 'x')));
  EXPECT_TRUE(a->unlock());
  EXPECT_EQ(Status::kTooLarge, attach_status("other", named(std::string(101, 'x'))));
  EXPECT_EQ(Status::kOk, attach_status("m", named(std::string(101, 'x')))) << "it is not used";
}

TEST_F(MutexOf, SegmentWithoutRoomKeepsTheOldValue) {
  auto a = first_.open_mutex("m", named("old"));
  const std::string all(view().count(shm::kUnitTable) * shm::kUnitBytes, 'x');
  ASSERT_EQ(Status::kOk, a->lock(0));
  ASSERT_EQ(Status::kOk, a->commit(all));
  EXPECT_EQ(Status::kCapacity, a->commit(all)) << "the second copy has no room";
  EXPECT_NE(std::string::npos, a->describe(Status::kCapacity).find("limits.value_bytes"))
      << a->describe(Status::kCapacity);
  EXPECT_EQ(all, a->value().bytes);
  EXPECT_EQ(Status::kOk, a->commit("short"));
  EXPECT_EQ(Status::kOk, a->commit("short, too")) << "and the long copy gave its units back";
  EXPECT_TRUE(a->unlock());
  EXPECT_EQ(0u, shm::used_units(view()));
  EXPECT_EQ(Status::kCapacity, attach_status("other", named(all + "x")));
  EXPECT_EQ(1u, mutexes()) << "half a mutex is none";
}

TEST_F(MutexOf, FullTablesAreNamed) {
  std::vector<std::unique_ptr<Mutex>> all;
  for (uint32_t i = 0; i < view().count(shm::kMutexTable); ++i) {
    all.push_back(first_.open_mutex("m" + std::to_string(i), named()));
  }
  std::unique_ptr<Mutex> more;
  const Error error = first_.lane().attach_mutex("more", named(), &more);
  EXPECT_EQ(Status::kCapacity, error.status);
  EXPECT_NE(std::string::npos, error.message.find("limits.mutexes")) << error.message;
  while (true) {
    std::unique_ptr<Mutex> one;
    const Error full = first_.lane().attach_mutex("m0", named(), &one);
    if (full) {
      EXPECT_EQ(Status::kCapacity, full.status);
      EXPECT_NE(std::string::npos, full.message.find("limits.mutex_seats")) << full.message;
      break;
    }
    all.push_back(std::move(one));
  }
}

TEST_F(MutexOf, NamesOfZeroAndTenThousandBytesAreRefused) {
  EXPECT_EQ(Status::kCapacity, attach_status("", named()));
  EXPECT_EQ(Status::kCapacity, attach_status(std::string(10'000, 'x'), named()));
  EXPECT_EQ(Status::kOk, attach_status(std::string(255, 'x'), named()));
}

TEST_F(MutexOf, PoolsAndMutexesHaveOneNamespaceOfNames) {
  auto mutex = first_.open_mutex("m", named());
  auto pool = first_.open("p", pool_of(1));
  EXPECT_EQ(Status::kWrongType, attach_status("p", named()));
  std::unique_ptr<Pool> none;
  EXPECT_EQ(Status::kWrongType, first_.lane().attach_pool("m", pool_of(1), &none).status);
  EXPECT_NE(mutex->id(), pool->id());
  bool removed = false;
  ASSERT_FALSE(first_.lane().remove_name("m", &removed));
  EXPECT_TRUE(removed);
  EXPECT_EQ(Status::kOk, first_.lane().attach_pool("m", pool_of(1), &none).status);
}

TEST_F(MutexOf, AutomaticNameLivesAsLongAsSomebodyHasIt) {
  shm::MutexRequest automatic;
  automatic.initial = std::string_view(
      "long enough to have units of its own: …………………………………………………"
      "………………………………………………………………………………………");
  auto a = first_.open_mutex("/srv/app.php:7 mutex", automatic);
  auto b = second_.open_mutex("/srv/app.php:7 mutex", automatic);
  const uint64_t id = a->id();
  put(*a, "changed");
  a.reset();
  EXPECT_EQ("changed", read(*b));
  b.reset();
  EXPECT_EQ(0u, mutexes());
  EXPECT_EQ(0u, shm::used_units(view()));
  EXPECT_EQ(1u, view().header().mutexes_removed.load());
  EXPECT_EQ(1u, view().header().mutex_operations_removed.load());
  EXPECT_NE(id, first_.open_mutex("/srv/app.php:7 mutex", automatic)->id());
}

TEST_F(MutexOf, GivenNameStaysUntilItIsRemoved) {
  const uint64_t id = first_.open_mutex("m", named("one"))->id();
  auto again = second_.open_mutex("m", named("two"));
  EXPECT_EQ(id, again->id());
  EXPECT_EQ("one", read(*again));
  again.reset();
  bool removed = false;
  ASSERT_FALSE(first_.lane().remove_name("m", &removed));
  EXPECT_TRUE(removed);
  EXPECT_EQ(0u, mutexes());
  ASSERT_FALSE(first_.lane().remove_name("m", &removed));
  EXPECT_FALSE(removed);
}

TEST_F(MutexOf, RemovedOneIsOfNoUseToThoseWhoHaveIt) {
  auto a = first_.open_mutex("m", named("one"));
  auto b = second_.open_mutex("m");
  ASSERT_EQ(Status::kOk, a->lock(0));
  bool removed = false;
  ASSERT_FALSE(second_.lane().remove_name("m", &removed));
  EXPECT_TRUE(a->removed());
  EXPECT_EQ(Status::kRemoved, b->lock(0));
  EXPECT_EQ(Status::kRemoved, b->lock(kSecond));
  EXPECT_NE(std::string::npos, b->describe(Status::kRemoved).find("removed"));
  EXPECT_EQ(Status::kOk, a->commit("two")) << "who has it comes to an end";
  EXPECT_TRUE(a->unlock());
  EXPECT_EQ(Status::kRemoved, a->lock(0));
  auto fresh = first_.open_mutex("m", named("new"));
  EXPECT_NE(a->id(), fresh->id());
  EXPECT_EQ("new", read(*fresh));
  EXPECT_EQ(2u, mutexes());
  a.reset();
  b.reset();
  EXPECT_EQ(1u, mutexes());
}

TEST_F(MutexOf, RegistryNamesAndCountsThem) {
  auto a = first_.open_mutex("m", named(std::string(1000, 'x')));
  auto automatic = first_.open_mutex("/srv/app.php:7 mutex");
  std::vector<std::string> names;
  ASSERT_FALSE(first_.lane().given_names(&names));
  EXPECT_EQ(std::vector<std::string>{"m"}, names);
  shm::RegistryTotals totals;
  ASSERT_FALSE(first_.lane().count_registry(&totals));
  EXPECT_EQ(2u, totals.mutexes);
  EXPECT_EQ(0u, totals.pools);
  const uint64_t units = shm::used_units(view());
  EXPECT_GE(units, 4u);
  EXPECT_EQ(2 * (sizeof(shm::MutexRecord) + sizeof(shm::MutexSeatRecord)) + units * shm::kUnitBytes,
            totals.mutex_bytes);
  EXPECT_EQ(totals.mutex_bytes, totals.bytes);
}

TEST_F(MutexOf, CountsStayWhenTheirWorkerGoes) {
  auto a = first_.open_mutex("m", named());
  auto b = second_.open_mutex("m");
  for (int i = 0; i < 3; ++i) put(*a, "x");
  put(*b, "y");
  const int64_t last_ns = a->seat().last_ns;
  EXPECT_GT(last_ns, 0);
  const auto sums = [&] { return shm::sum_mutex(view(), *view().mutex(0)); };
  EXPECT_EQ(4u, sums().acquires);
  EXPECT_EQ(2u, sums().seats);
  a.reset();
  EXPECT_EQ(4u, sums().acquires);
  EXPECT_EQ(1u, sums().seats);
  b.reset();
  EXPECT_EQ(4u, sums().acquires);
  EXPECT_EQ(0u, sums().contended);
  EXPECT_GE(sums().last_ns, last_ns);
  std::vector<shm::MutexSums> all;
  shm::sum_mutexes(view(), &all);
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ(4u, all[0].acquires);
}

TEST_F(MutexOf, WhoWasBuriedAliveChangesNothing) {
  auto a = first_.open_mutex("m", named("old"));
  ASSERT_EQ(Status::kOk, a->lock(0));
  shm::bury_process(view(), second_.lane().lock_context(), first_.process().index(),
                    first_.process().incarnation(), 1);
  auto b = second_.open_mutex("m");
  EXPECT_TRUE(b->corrupted());
  EXPECT_TRUE(shm::reset_mutex(b->record()));
  ASSERT_EQ(Status::kOk, b->lock(0));
  EXPECT_EQ(Status::kFenced, a->commit("new"));
  EXPECT_FALSE(a->unlock());
  EXPECT_EQ("old", read(*b));
  EXPECT_TRUE(b->unlock());
}

}  // namespace
}  // namespace oxpool::test
