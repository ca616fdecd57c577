// Threads as lanes: they acquire, wait, give up and die, while others bury, repair, resize and
// pause. tests/crash has every instruction of one order; here the orders are the machine's, and the
// thread sanitizer looks on.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "shm/burial.h"
#include "shm/gate.h"
#include "shm/repair.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

constexpr uint32_t kMost = 4;
constexpr int kLanes = 5;
constexpr int kLives = 300;
constexpr int kUses = 12;

class LanesAtOnce : public ::testing::Test {
 protected:
  LanesAtOnce() : server_(few()), observer_(server_.runtime_dir()) {
    watched_ = observer_.open("p", pool_of(kMost));
  }

  shm::PoolRecord& record() { return watched_->record(); }
  const shm::SegmentView& view() { return observer_.lane().view(); }

  // As the daemon, one at a time, and once whatever the dead one had open is closed.
  void bury(Worker& dead) {
    const std::lock_guard<std::mutex> one_at_a_time(burials_);
    const shm::Burial burial =
        shm::bury_process(view(), observer_.lane().lock_context(), dead.process().index(),
                          dead.process().incarnation(), shm::monotonic_ns());
    EXPECT_TRUE(burial.complete);
    lost_ += burial.slots + burial.tickets;
  }

  void enter() {
    const uint32_t now = ++inside_;
    uint32_t most = most_;
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() { --inside_; }

  // A minute is for ever here: who waits as long was forgotten.
  LocalSlot* use(Pool& pool, int64_t timeout_ns) {
    const Acquire::Step step = acquire_from(pool, timeout_ns);
    EXPECT_NE(Next::kLost, step.next);
    EXPECT_TRUE(step.next != Next::kTimeout || timeout_ns < kSecond);
    if (step.slot != nullptr) enter();
    return step.slot;
  }

  // One life of a lane; every other one ends in its death, with a unit in its hand or in the queue.
  void live(std::mt19937& random) {
    Worker worker(server_.runtime_dir());
    std::unique_ptr<Pool> pool = worker.open("p", pool_of(kMost));
    for (int i = 0; i < kUses; ++i) {
      const int64_t timeouts[] = {0, kMilli, 60 * kSecond};
      LocalSlot* slot = use(*pool, timeouts[random() % 3]);
      if (slot == nullptr) continue;
      if (random() % 2 == 0) std::this_thread::yield();
      leave();
      give_back(*pool, *slot);
    }
    switch (random() % 4) {
      case 0:
        if (use(*pool, 60 * kSecond) != nullptr) leave();
        return bury(worker);
      case 1: {
        Acquire waiting(*pool, 60 * kSecond, shm::monotonic_ns());
        waiting.step(0);
        return bury(worker);
      }
      default:  // it ends well; its record is cleared by the daemon
        pool.reset();
        worker.close_lane();
        return bury(worker);
    }
  }

  void run_lane(unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < kLives && !HasFailure(); ++i) live(random);
    --running_;
  }

  // Until the lanes are through: one job over and over, in a lane of its own.
  template <typename Job>
  void meanwhile(Job job) {
    Worker worker(server_.runtime_dir());
    while (running_ > 0) {
      job(worker.lane().lock_context());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void set_cap(const shm::LockContext& context, uint32_t cap) {
    record().operator_max_size = cap;
    shm::PoolLock lock(view(), record(), context, 10 * kSecond);
    ASSERT_TRUE(lock.held());
    shm::serve(lock);
  }

  HandshakeServer server_;
  Worker observer_;
  std::unique_ptr<Pool> watched_;
  std::mutex burials_;
  std::atomic<uint32_t> lost_{0};
  std::atomic<int> running_{kLanes};
  std::atomic<uint32_t> inside_{0};
  std::atomic<uint32_t> most_{0};
};

TEST_F(LanesAtOnce, LoseNothingWhileTheyAreBuriedRepairedResizedAndPaused) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kLanes; ++i) threads.emplace_back([this, i] { run_lane(i); });
  // As the next one does it after a death inside the lock, though nobody died: all must stay whole.
  threads.emplace_back([this] {
    meanwhile([this](const shm::LockContext& context) {
      shm::PoolLock lock(view(), record(), context, 10 * kSecond);
      ASSERT_TRUE(lock.held());
      shm::repair_pool(lock);
    });
  });
  threads.emplace_back([this] {
    meanwhile([this, cap = 0u](const shm::LockContext& context) mutable {
      set_cap(context, 1 + cap++ % kMost);
    });
  });
  threads.emplace_back([this] {
    meanwhile([this](const shm::LockContext& context) {
      shm::set_gate(view(), record(), context, shm::Gate::kWait, 0);
      std::this_thread::yield();
      shm::set_gate(view(), record(), context, shm::Gate::kOpen, 0);
    });
  });
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(most_, kMost);
  EXPECT_GT(lost_, 0u) << "nobody died with anything";
  set_cap(observer_.lane().lock_context(), 3);
  expect_whole(view(), record(), 3);
  for (int i = 0; i < 3; ++i) take(*watched_);
  EXPECT_EQ(Next::kSaturated, acquire_from(*watched_, 0).next);
}

}  // namespace
}  // namespace oxpool::test
