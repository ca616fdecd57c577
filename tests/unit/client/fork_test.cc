// A forked child has nothing, gives nothing back, and does not keep its parent alive.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include "client/fork_guard.h"
#include "client/resource_pool.h"
#include "shm/token.h"
#include "tests/unit/child_process.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class Fork : public ::testing::Test {
 protected:
  Fork() : server_(few()), worker_(server_.runtime_dir()), pool_(worker_.open("p", pool_of(3))) {
    // The server is in this process: its copy of the token must be gone before anybody forks.
    EXPECT_TRUE(wait_until([&] { return server_.sessions_made() == 1; }));
  }

  // What a child finds; each failed check has its own exit code.
  int in_child(const std::function<int()>& body) { return ChildProcess(body).wait(); }
  shm::SlotWord word(const LocalSlot& slot) { return shm::load_slot(*slot.record); }

  HandshakeServer server_;
  Worker worker_;
  std::unique_ptr<Pool> pool_;
};

TEST_F(Fork, ChildKnowsThatItIsOne) {
  EXPECT_FALSE(worker_.process().forked());
  EXPECT_EQ(0, in_child([&] {
              if (!worker_.process().forked()) return 1;
              if (worker_.lane().usable()) return 2;
              return worker_.lane().unusable_status() == Status::kForked ? 0 : 3;
            }));
  EXPECT_FALSE(worker_.process().forked());
}

TEST_F(Fork, GrandchildKnowsItToo) {
  EXPECT_EQ(0,
            in_child([&] { return in_child([&] { return worker_.process().forked() ? 0 : 1; }); }));
}

TEST_F(Fork, RawCloneIsNoticedWithoutAnyHandler) {
  const auto pid = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (pid == 0) _exit(worker_.process().forked() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(pid, waitpid(pid, &status, 0));
  EXPECT_EQ(0, status);
}

TEST_F(Fork, ChildsCallsTouchNothing) {
  LocalSlot& in_use = take(*pool_);
  LocalSlot& idle = take(*pool_);
  give_back(*pool_, idle);
  Acquire minting(*pool_, 0, shm::monotonic_ns());
  pool_->reuse_idle();
  give_back(*pool_, idle);
  const auto* bytes = reinterpret_cast<const char*>(&worker_.lane().view().header());
  const uint64_t size = worker_.lane().view().bytes();
  const std::string before(bytes, size);
  EXPECT_EQ(0, in_child([&] {
              if (pool_->release(in_use) != Release::kLost) return 1;
              if (pool_->begin_close(in_use, shm::CloseReason::kDiscard)) return 2;
              if (pool_->minted(in_use, 5)) return 3;
              pool_->mint_failed(in_use);
              pool_->finish_close(idle);
              if (pool_->take_flagged() != nullptr) return 4;
              if (pool_->take_idle(shm::CloseReason::kEvict) != nullptr) return 5;
              if (minting.step(0).next != Next::kLost) return 6;
              std::unique_ptr<Pool> other;
              if (worker_.lane().attach_pool("q", pool_of(1), &other).status != Status::kForked)
                return 7;
              std::unique_ptr<Lane> lane;
              if (Lane::open(worker_.process(), &lane).status != Status::kForked) return 8;
              worker_.process().tend_session();
              worker_.lane().cancel_waits();
              pool_.reset();
              worker_.detach();
              return 0;
            }));
  EXPECT_TRUE(before == std::string(bytes, size)) << "the child wrote into the segment";
}

TEST_F(Fork, ParentGoesOnAfterItsChildsExit) {
  LocalSlot& slot = take(*pool_);
  give_back(*pool_, take(*pool_));
  EXPECT_EQ(0, in_child([&] {
              pool_.reset();
              worker_.detach();
              return 0;
            }));
  EXPECT_TRUE(worker_.lane().still_usable());
  EXPECT_TRUE(give_back(*pool_, slot));
  EXPECT_EQ(2u, pool_->counts().idle);
  Worker observer(server_.runtime_dir());
  EXPECT_FALSE(observer.process().liveness().dead(worker_.lane().id()));
  expect_whole(worker_.lane().view(), pool_->record(), 3);
}

TEST_F(Fork, WaitingParentIsNotTakenOutOfItsQueueByTheChild) {
  Worker holder(server_.runtime_dir());
  auto held = holder.open("p", pool_of(3));
  LocalSlot* slots[] = {&take(*held), &take(*held), &take(*held)};
  Acquire acquire(*pool_, 60 * kSecond, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, acquire.step(0).next);
  EXPECT_EQ(0, in_child([&] {
              acquire.cancel();
              worker_.lane().cancel_waits();
              return acquire.step(0).next == Next::kLost ? 0 : 1;
            }));
  EXPECT_EQ(1u, held->counts().waiting);
  give_back(*held, *slots[0]);
  EXPECT_EQ(Next::kMint, run(acquire, *pool_).next);
}

TEST_F(Fork, ChildAttachesAnewAndIsAWorkerOfItsOwn) {
  take(*pool_);
  EXPECT_EQ(0, in_child([&] {
              Worker own(server_.runtime_dir());
              auto pool = own.open("p", pool_of(3));
              if (own.process().forked()) return 1;
              if (pool->counts().in_use != 1) return 2;
              LocalSlot& slot = take(*pool);
              return give_back(*pool, slot) ? 0 : 3;
            }));
}

// The descriptors that the child does not keep: those that the kernel tells the parent's death by.
TEST_F(Fork, TokenAndSessionAreClosedInTheChild) {
  const auto tokens = [] {
    int count = 0;
    for (const int fd : open_descriptors()) {
      char target[256];
      const std::string link = "/proc/self/fd/" + std::to_string(fd);
      const ssize_t length = readlink(link.c_str(), target, sizeof target);
      const std::string text(target, length > 0 ? static_cast<size_t>(length) : 0);
      if (text.find("/locks") != std::string::npos) ++count;
    }
    return count;
  };
  ASSERT_EQ(1, tokens()) << "the worker's token";
  EXPECT_EQ(0, in_child([&] { return tokens(); }));
  EXPECT_EQ(1, tokens());
}

struct Family {
  std::atomic<uint64_t> parent_lane{0};
  std::atomic<int> child_pid{0};
};

TEST_F(Fork, ParentsDeathIsSeenAlthoughItsChildLives) {
  SharedPage<Family> family;
  ChildProcess parent([&] {
    Worker worker(server_.runtime_dir());
    auto pool = worker.open("p", pool_of(3));
    take(*pool);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      pause();
      _exit(0);
    }
    family->parent_lane = worker.lane().id().raw;
    family->child_pid = child;
    pause();
    return 0;
  });
  ASSERT_TRUE(wait_until([&] { return family->child_pid != 0; }));
  const shm::OwnerId lane{family->parent_lane};
  EXPECT_FALSE(worker_.process().liveness().dead(lane));
  parent.kill_and_wait();
  // The child may not have come to closing its copy of the token yet.
  EXPECT_TRUE(wait_until([&] { return worker_.process().liveness().dead(lane); }));
  ASSERT_EQ(0, kill(family->child_pid, 0)) << "the child still lives";
  kill(family->child_pid, SIGKILL);
}

struct Goodbyes {
  std::atomic<int> destroyed{0};
  std::atomic<int> deleted{0};
};
struct SaysGoodbye {
  explicit SaysGoodbye(Goodbyes& goodbyes) : goodbyes(goodbyes) {}
  ~SaysGoodbye() { ++goodbyes.deleted; }
  Goodbyes& goodbyes;
};

TEST_F(Fork, ResourcesAreNotDestroyedInTheChild) {
  SharedPage<Goodbyes> goodbyes;
  auto pool = std::make_unique<ResourcePool<SaysGoodbye>>(
      worker_.lane(), "resources", pool_of(4),
      [&] { return std::make_unique<SaysGoodbye>(*goodbyes); },
      [&](SaysGoodbye&) { ++goodbyes->destroyed; });
  auto leased = std::make_optional(pool->acquire());
  { auto idle = pool->acquire(); }
  EXPECT_EQ(0, in_child([&] {
              leased.reset();
              try {
                pool->acquire();
                return 1;
              } catch (const PoolError& error) {
                if (error.status() != Status::kForked) return 2;
              }
              pool.reset();
              return 0;
            }));
  EXPECT_EQ(0, goodbyes->destroyed) << "the parent's connection was told goodbye";
  EXPECT_EQ(0, goodbyes->deleted);
  leased.reset();
  pool.reset();
  EXPECT_EQ(2, goodbyes->destroyed);
  EXPECT_EQ(2, goodbyes->deleted);
}

TEST(ForkGuardDescriptors, ForgottenOnesStayOpenInTheChild) {
  const int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int closed = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close_in_forked_child(kept);
  close_in_forked_child(closed);
  forget_in_forked_child(kept);
  ChildProcess child([&] {
    if (fcntl(kept, F_GETFD) < 0) return 1;
    return fcntl(closed, F_GETFD) < 0 ? 0 : 2;
  });
  EXPECT_EQ(0, child.wait());
  forget_in_forked_child(closed);
  close(kept);
  close(closed);
}

}  // namespace
}  // namespace oxpool::test
