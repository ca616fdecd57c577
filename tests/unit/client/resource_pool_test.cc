// The C++ face: leases by scope, factories that throw, destroy exactly once.
#include "client/resource_pool.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "shm/burial.h"
#include "tests/unit/child_process.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

struct Ledger {
  int made = 0;
  int destroyed = 0;
  int deleted = 0;
  bool fail = false;
};
struct Thing {
  explicit Thing(Ledger& ledger) : ledger(ledger) { ++ledger.made; }
  ~Thing() { ++ledger.deleted; }
  Ledger& ledger;
  int uses = 0;
};

class Resources : public ::testing::Test {
 protected:
  Resources() : server_(few()), worker_(server_.runtime_dir()) {}

  std::unique_ptr<ResourcePool<Thing>> open(uint32_t max_size) {
    return std::make_unique<ResourcePool<Thing>>(
        worker_.lane(), "things", pool_of(max_size),
        [this]() -> std::unique_ptr<Thing> {
          if (ledger_.fail) throw std::runtime_error("no database");
          return std::make_unique<Thing>(ledger_);
        },
        [this](Thing&) { ++ledger_.destroyed; });
  }
  static Status status_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const PoolError& error) {
      return error.status();
    }
    return Status::kOk;
  }

  HandshakeServer server_;
  Worker worker_;
  Ledger ledger_;
};

TEST_F(Resources, LeaseComesBackByScopeAndIsReused) {
  auto pool = open(2);
  for (int i = 1; i <= 3; ++i) {
    auto lease = pool->acquire();
    EXPECT_EQ(i, ++lease->uses);
    EXPECT_EQ(1u, pool->pool().counts().in_use);
  }
  EXPECT_EQ(1, ledger_.made);
  EXPECT_EQ(1u, pool->pool().counts().idle);
  pool.reset();
  EXPECT_EQ(1, ledger_.destroyed);
  EXPECT_EQ(1, ledger_.deleted);
}

TEST_F(Resources, MovedLeaseIsGivenBackOnce) {
  auto pool = open(1);
  {
    auto first = pool->acquire();
    auto second = std::move(first);
    (*second).uses = 5;
    EXPECT_FALSE(pool->try_acquire());
  }
  EXPECT_EQ(1u, pool->pool().counts().idle);
  EXPECT_EQ(5, pool->acquire()->uses);
}

TEST_F(Resources, DiscardDestroysAndMakesRoom) {
  auto pool = open(1);
  pool->acquire().discard();
  EXPECT_EQ(1, ledger_.destroyed);
  EXPECT_EQ(1, ledger_.deleted);
  EXPECT_EQ(0u, pool->pool().counts().size());
  pool->acquire();
  EXPECT_EQ(2, ledger_.made);
}

TEST_F(Resources, FactorysExceptionPassesAndTheUnitIsBack) {
  auto pool = open(1);
  ledger_.fail = true;
  EXPECT_THROW(pool->acquire(), std::runtime_error);
  EXPECT_EQ(0u, pool->pool().counts().minting);
  ledger_.fail = false;
  EXPECT_TRUE(pool->try_acquire());
}

TEST_F(Resources, SaturatedTimeoutAndDeadlockAreTold) {
  auto pool = open(1);
  auto lease = pool->acquire();
  EXPECT_FALSE(pool->try_acquire());
  EXPECT_EQ(Status::kTimeout, status_of([&] { pool->acquire_for(std::chrono::milliseconds(20)); }));
  EXPECT_EQ(Status::kTimeout, status_of([&] { pool->acquire_for(std::chrono::nanoseconds(-5)); }));
  EXPECT_EQ(Status::kDeadlock, status_of([&] { pool->acquire(); }));
  try {
    pool->acquire_for(std::chrono::milliseconds(1));
  } catch (const PoolError& error) {
    EXPECT_NE(nullptr, std::strstr(error.what(), "'things'")) << error.what();
  }
}

TEST_F(Resources, NestedUseFromFactoryAndDestroyWorks) {
  auto inner = open(2);
  ResourcePool<int> outer(
      worker_.lane(), "outer", pool_of(1),
      [&] {
        inner->acquire();
        return std::make_unique<int>(1);
      },
      [&](int&) { inner->acquire(); });
  EXPECT_EQ(1, *outer.acquire());
  outer.acquire().discard();
  EXPECT_EQ(1, ledger_.made);
}

TEST_F(Resources, FlaggedOnesAreClosedAtATick) {
  auto pool = open(2);
  { auto lease = pool->acquire(); }
  shm::for_each_slot(worker_.lane().view(), pool->pool().record(),
                     [&](uint32_t, shm::SlotRecord& slot) {
                       shm::flag_idle(worker_.lane().view(), slot, shm::CloseReason::kEvict);
                     });
  pool->tick();
  EXPECT_EQ(1, ledger_.destroyed);
  EXPECT_EQ(0u, pool->pool().counts().size());
  pool->tick();
}

TEST_F(Resources, CapacityIsToldWhereThePoolIsMade) {
  EXPECT_EQ(Status::kCapacity, status_of([&] { open(100'000); }));
}

TEST_F(Resources, BuriedWorkersResourcesAreAllDestroyedAndNothingElse) {
  Worker heir(server_.runtime_dir());
  auto pool = open(3);
  {
    auto a = pool->acquire();
    auto b = pool->acquire();
  }
  auto held = std::make_optional(pool->acquire());
  ASSERT_TRUE(shm::bury_process(heir.lane().view(), heir.lane().lock_context(),
                                worker_.process().index(), worker_.process().incarnation(), 1)
                  .complete);
  auto theirs = heir.open("things", pool_of(3));
  for (int i = 0; i < 3; ++i) take(*theirs);
  held.reset();
  EXPECT_EQ(1, ledger_.destroyed);
  EXPECT_EQ(Status::kFenced, status_of([&] { pool->acquire(); }));
  pool.reset();
  EXPECT_EQ(2, ledger_.destroyed) << "an idle resource was forgotten";
  EXPECT_EQ(2, ledger_.deleted);
  EXPECT_EQ(3u, theirs->counts().in_use);
}

struct Connection {
  explicit Connection(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("connect");
    }
  }
  ~Connection() { close(fd); }
  int fd;
};

// The unit is not free before the other end has hung up: a server that is slow to notice.
TEST_F(Resources, UnitWaitsForTheOtherEnd) {
  TemporaryDirectory directory;
  const std::string path = directory.file("server");
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(0, bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address));
  ASSERT_EQ(0, listen(listener, 1));
  SharedPage<std::atomic<bool>> hung_up;
  ChildProcess server([&] {
    const int connection = accept(listener, nullptr, nullptr);
    char byte;
    if (read(connection, &byte, 1) != 0) return 1;
    usleep(60'000);
    *hung_up = true;
    close(connection);
    return 0;
  });
  shm::PoolRequest request = pool_of(1);
  request.close_wait_ms = 30'000;
  ResourcePool<Connection> pool(worker_.lane(), "connections", request,
                                [&] { return std::make_unique<Connection>(path); });
  pool.acquire().discard();
  EXPECT_TRUE(*hung_up) << "the server still counted the connection";
  EXPECT_EQ(0u, pool.pool().counts().closing);
  EXPECT_EQ(0, server.wait());
  close(listener);
}

}  // namespace
}  // namespace oxpool::test
