// Killed holders and waiters while no daemon buries anybody: whoever waits does it alone.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>

#include "client/mutex.h"
#include "shm/mutex_inspection.h"
#include "tests/unit/child_process.h"
#include "tests/unit/local_process.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class DeadAtAMutex : public ::testing::Test {
 protected:
  DeadAtAMutex() : server_(few()) {}

  static shm::MutexRequest request(shm::OnOwnerDeath on_owner_death) {
    shm::MutexRequest request;
    request.given_name = true;
    request.on_owner_death = on_owner_death;
    request.initial = "old";
    return request;
  }
  // A worker in a process of its own that does `work`, says so, and stays.
  template <typename Work>
  void start(shm::OnOwnerDeath on_owner_death, Work work) {
    child_ = std::make_unique<ChildProcess>([&, work] {
      Worker worker(server_.runtime_dir());
      auto mutex = worker.open_mutex("m", request(on_owner_death));
      work(*mutex);
      *ready_ = true;
      pause();
      return 0;
    });
    ASSERT_TRUE(wait_until([&] { return ready_->load(); }));
    mutex_.reset();
    worker_ = std::make_unique<Worker>(server_.runtime_dir());
    mutex_ = worker_->open_mutex("m", request(on_owner_death));
  }

  HandshakeServer server_;
  SharedPage<std::atomic<bool>> ready_;
  std::unique_ptr<ChildProcess> child_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Mutex> mutex_;
};

void lock_and_commit(Mutex& mutex) {
  EXPECT_EQ(Status::kOk, mutex.lock(0));
  EXPECT_EQ(Status::kOk, mutex.commit("new"));
}

TEST_F(DeadAtAMutex, HolderCorruptsIt) {
  start(shm::OnOwnerDeath::kCorrupt, lock_and_commit);
  EXPECT_EQ(Status::kSaturated, mutex_->lock(0));
  child_->kill_and_wait();
  EXPECT_EQ(Status::kCorrupted, mutex_->lock(60 * kSecond));
  EXPECT_EQ(Status::kCorrupted, mutex_->lock(0));
  EXPECT_TRUE(mutex_->corrupted());
  EXPECT_NE(std::string::npos, mutex_->describe(Status::kCorrupted).find("corrupted"));
  EXPECT_TRUE(shm::reset_mutex(mutex_->record()));
  ASSERT_EQ(Status::kOk, mutex_->lock(0));
  EXPECT_EQ("new", mutex_->value().bytes);
}

TEST_F(DeadAtAMutex, TryAloneNoticesADeadHolder) {
  start(shm::OnOwnerDeath::kCorrupt, lock_and_commit);
  child_->kill_and_wait();
  EXPECT_EQ(Status::kCorrupted, mutex_->lock(0));
}

TEST_F(DeadAtAMutex, RecoveringOneGoesOnFromTheLastCommit) {
  start(shm::OnOwnerDeath::kRecover, lock_and_commit);
  child_->kill_and_wait();
  ASSERT_EQ(Status::kOk, mutex_->lock(60 * kSecond));
  EXPECT_EQ("new", mutex_->value().bytes);
  EXPECT_FALSE(mutex_->corrupted());
}

TEST_F(DeadAtAMutex, SleepingWaiterIsTold) {
  start(shm::OnOwnerDeath::kCorrupt, lock_and_commit);
  struct Context {
    ChildProcess* child;
    bool killed = false;
  } context{child_.get()};
  const Interrupt kill = [](void* context) {
    auto* is = static_cast<Context*>(context);
    if (!is->killed) is->child->kill_and_wait();
    is->killed = true;
    return true;
  };
  EXPECT_EQ(Status::kCorrupted, mutex_->lock(Mutex::kForever, kill, &context));
  EXPECT_TRUE(context.killed);
}

TEST_F(DeadAtAMutex, WaiterThatDiesLeavesTheLine) {
  Worker holder(server_.runtime_dir());
  auto held = holder.open_mutex("m", request(shm::OnOwnerDeath::kCorrupt));
  ASSERT_EQ(Status::kOk, held->lock(0));
  SharedPage<std::atomic<bool>> waits;
  ChildProcess waiter([&] {
    Worker worker(server_.runtime_dir());
    auto mutex = worker.open_mutex("m", request(shm::OnOwnerDeath::kCorrupt));
    *waits = true;
    mutex->lock(Mutex::kForever);
    return 0;
  });
  const auto waiters = [&] {
    return shm::count_lock_waiters(server_.view(), *server_.view().mutex(0));
  };
  ASSERT_TRUE(wait_until([&] { return waiters() == 1; }));
  waiter.kill_and_wait();
  Worker next(server_.runtime_dir());
  auto mutex = next.open_mutex("m");
  struct Context {
    Mutex* held;
    bool let_go = false;
  } context{held.get()};
  const Interrupt let_go = [](void* context) {
    auto* is = static_cast<Context*>(context);
    if (!is->let_go) {
      EXPECT_TRUE(is->held->unlock());
    }
    is->let_go = true;
    return true;
  };
  EXPECT_EQ(Status::kOk, mutex->lock(60 * kSecond, let_go, &context));
  EXPECT_FALSE(mutex->corrupted()) << "the dead one never had it";
  EXPECT_TRUE(mutex->unlock());
}

TEST_F(DeadAtAMutex, ChildOfAForkHasNothingOfIt) {
  Worker worker(server_.runtime_dir());
  auto mutex = worker.open_mutex("m", request(shm::OnOwnerDeath::kCorrupt));
  ASSERT_EQ(Status::kOk, mutex->lock(0));
  ChildProcess child([&] {
    if (mutex->lock(0) != Status::kForked) return 1;
    if (mutex->commit("child") != Status::kForked) return 2;
    mutex->discard();
    mutex.reset();
    return 0;
  });
  EXPECT_EQ(0, child.wait());
  EXPECT_TRUE(mutex->held());
  EXPECT_EQ("old", mutex->value().bytes);
  EXPECT_TRUE(mutex->unlock());
}

TEST(MutexWithoutADaemon, IsThatOfAProcessAndItsForks) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              shm::MutexRequest request;
              request.given_name = true;
              request.initial = "old";
              auto mutex = worker.open_mutex("m", request);
              ChildProcess child([&] {
                Worker worker(local_options());
                auto mutex = worker.open_mutex("m");
                EXPECT_EQ(Status::kOk, mutex->lock(0));
                EXPECT_EQ(Status::kOk, mutex->commit("child's"));
                pause();
                return 0;
              });
              ASSERT_TRUE(wait_until([&] { return mutex->version() == 2; }));
              child.kill_and_wait();
              EXPECT_EQ(Status::kCorrupted, mutex->lock(60 * kSecond));
              bool removed = false;
              ASSERT_FALSE(worker.lane().remove_name("m", &removed));
              mutex = worker.open_mutex("m", request);
              EXPECT_EQ(Status::kOk, mutex->lock(0));
            }));
}

}  // namespace
}  // namespace oxpool::test
