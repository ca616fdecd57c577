// Attaching to pools by name: what is refused, in which words, and who decides the settings.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "shm/queue.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class AttachPool : public ::testing::Test {
 protected:
  AttachPool() : server_(few()), worker_(server_.runtime_dir()) {}

  Error attach(const std::string& name, uint32_t max_size, std::unique_ptr<Pool>* pool) {
    return worker_.lane().attach_pool(name, pool_of(max_size), pool);
  }
  Error attach(const std::string& name, uint32_t max_size = 1) {
    std::unique_ptr<Pool> ignored;
    return attach(name, max_size, &ignored);
  }
  static bool says(const Error& error, const std::string& part) {
    return error.message.find(part) != std::string::npos;
  }

  HandshakeServer server_;
  Worker worker_;
};

TEST_F(AttachPool, TwoWorkersOfOneNameShareOnePool) {
  Worker other(server_.runtime_dir());
  auto mine = worker_.open("orders", pool_of(2));
  auto theirs = other.open("orders", pool_of(2));
  EXPECT_EQ(mine->id(), theirs->id());
  EXPECT_GE(mine->id(), 1u);
  EXPECT_EQ("orders", mine->name());
  take(*mine);
  EXPECT_EQ(1u, theirs->counts().in_use);
  EXPECT_EQ(2u, theirs->counts().max_size);
}

TEST_F(AttachPool, NamesOfAnyBytesUpToTheLimit) {
  const std::string longest(255, '\0');
  auto pool = worker_.open(longest, pool_of(1));
  EXPECT_EQ(longest, pool->name());
}

TEST_F(AttachPool, NamesThatDoNotFitAreRefused) {
  for (const size_t bytes : {size_t{0}, size_t{256}, size_t{5000}}) {
    const Error error = attach(std::string(bytes, 'x'));
    EXPECT_TRUE(error) << bytes;
    EXPECT_TRUE(says(error, "255")) << error.message;
    EXPECT_TRUE(says(error, std::to_string(bytes))) << error.message;
  }
  EXPECT_EQ(0u, server_.view().high_water(shm::kPoolTable));
}

TEST_F(AttachPool, TooManySlotsAreRefusedInWords) {
  const Error error = attach("big", 100'000);
  EXPECT_EQ(Status::kCapacity, error.status);
  EXPECT_TRUE(says(error, "'big'") && says(error, "100000") && says(error, "8192"))
      << error.message;
}

TEST_F(AttachPool, FullTablesNameTheLimitToRaise) {
  std::vector<std::unique_ptr<Pool>> pools(8);
  for (int i = 0; i < 8; ++i) ASSERT_FALSE(attach("p" + std::to_string(i), 1, &pools[i]));
  Error error = attach("ninth");
  EXPECT_EQ(Status::kCapacity, error.status);
  EXPECT_TRUE(says(error, "limits.pools")) << error.message;
  error = attach("p0", 8192);
  EXPECT_EQ(Status::kCapacity, error.status);
  EXPECT_TRUE(says(error, "limits.chunks")) << error.message;
  std::vector<std::unique_ptr<Pool>> seats(120);
  for (auto& seat : seats) ASSERT_FALSE(attach("p0", 1, &seat));
  error = attach("p0");
  EXPECT_EQ(Status::kCapacity, error.status);
  EXPECT_TRUE(says(error, "limits.seats")) << error.message;
}

TEST_F(AttachPool, FullLaneTableNamesTheLimitToRaise) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (;;) {
    std::unique_ptr<Lane> lane;
    const Error error = Lane::open(worker_.process(), &lane);
    if (error) {
      EXPECT_EQ(Status::kCapacity, error.status);
      EXPECT_TRUE(says(error, "limits.lanes")) << error.message;
      break;
    }
    lanes.push_back(std::move(lane));
    ASSERT_LE(lanes.size(), 64u);
  }
  lanes.pop_back();
  std::unique_ptr<Lane> lane;
  EXPECT_FALSE(Lane::open(worker_.process(), &lane));
}

TEST_F(AttachPool, StrangeNamesAreShownSafely) {
  const Error error = attach(std::string("a\nb\0c", 5) + std::string(200, 'z'), 100'000);
  EXPECT_TRUE(says(error, "'a?b?czzz")) << error.message;
  EXPECT_EQ(std::string::npos, error.message.find('\n'));
  EXPECT_LT(error.message.size(), 400u);
}

TEST_F(AttachPool, StoppedWorkerInsideTheTableLockIsAnError) {
  Worker stopped(server_.runtime_dir());
  auto& lock = server_.view().header().table_lock;
  ASSERT_EQ(shm::LockResult::kAcquired,
            shm::RobustMutex::lock(lock, stopped.lane().lock_context(), 0));
  const Error error = attach("p");
  EXPECT_EQ(Status::kUnavailable, error.status);
  EXPECT_TRUE(says(error, "stopped inside")) << error.message;
  shm::RobustMutex::unlock(lock, stopped.lane().id());
  EXPECT_FALSE(attach("p"));
}

TEST_F(AttachPool, WorkerThatDiedInsideTheTableLockIsNoMatter) {
  {
    Worker dies(server_.runtime_dir());
    auto& lock = server_.view().header().table_lock;
    shm::RobustMutex::lock(lock, dies.lane().lock_context(), 0);
  }
  EXPECT_FALSE(attach("p"));
}

TEST_F(AttachPool, LaterProcessDecidesAndIsToldThatTheyDisagree) {
  Worker later(server_.runtime_dir());
  std::unique_ptr<Pool> pool;
  bool disagreed = true;
  ASSERT_FALSE(worker_.lane().attach_pool("p", pool_of(3), &pool, &disagreed));
  EXPECT_FALSE(disagreed);
  std::unique_ptr<Pool> theirs;
  ASSERT_FALSE(later.lane().attach_pool("p", pool_of(3), &theirs, &disagreed));
  EXPECT_FALSE(disagreed);
  ASSERT_FALSE(later.lane().attach_pool("p", pool_of(5), &theirs, &disagreed));
  EXPECT_EQ(5u, pool->counts().max_size) << "in force at once";
  expect_whole(pool->lane().view(), pool->record(), 5);
  std::unique_ptr<Pool> again;
  ASSERT_FALSE(worker_.lane().attach_pool("p", pool_of(9), &again, &disagreed));
  EXPECT_TRUE(disagreed);
  EXPECT_EQ(5u, pool->counts().max_size) << "the process that started first gives way";
}

TEST_F(AttachPool, LoweredCapTakesFreeUnitsAtOnce) {
  auto pool = worker_.open("p", pool_of(5));
  Worker later(server_.runtime_dir());
  auto theirs = later.open("p", pool_of(1));
  expect_whole(pool->lane().view(), pool->record(), 1);
  take(*pool);
  EXPECT_EQ(Next::kSaturated, acquire_from(*theirs, 0).next);
}

// Whoever is inside has read that 2 are wanted. Then 1 is wanted, as is still in force: that is no
// reason not to look.
TEST_F(AttachPool, ACapIsChangedBackWhileSomebodyBringsItIntoForce) {
  auto pool = worker_.open("p", pool_of(1));
  Worker other(server_.runtime_dir());
  shm::PoolRecord& record = pool->record();
  const shm::SegmentView& view = worker_.lane().view();
  shm::SlotRecord& second = *view.slot(record, 1);
  int64_t took_ns = shm::kLockPatienceNs;
  for (int tries = 0; tries < 20 && took_ns >= shm::kLockPatienceNs; ++tries) {
    ASSERT_EQ(shm::LockResult::kAcquired,
              shm::RobustMutex::lock(record.lock, other.lane().lock_context(), 0));
    record.settings.max_size = 2;
    std::atomic<bool> over{false};
    std::thread changes_back([&] {
      const int64_t began_ns = shm::monotonic_ns();
      EXPECT_FALSE(worker_.lane().request_settings(*pool, pool_of(1)));
      took_ns = shm::monotonic_ns() - began_ns;
      over = true;
    });
    EXPECT_TRUE(wait_until([&] { return over || (record.lock.load() & 1u) != 0; }));
    // The rest of settle_cap.
    second.word = shm::SlotWord::free().raw;
    view.chunk_of(record, 0)->free_hint.fetch_or(0b10);
    record.cap = 2;
    shm::RobustMutex::unlock(record.lock, other.lane().id());
    changes_back.join();
  }
  EXPECT_EQ(1u, record.cap.load());
  expect_whole(view, record, 1);
}

}  // namespace
}  // namespace oxpool::test
