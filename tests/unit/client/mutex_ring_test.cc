// Waits over several mutexes and pools that could never end: one of those who wait is told so.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "client/mutex.h"
#include "shm/mutex_inspection.h"
#include "shm/ring.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class RingOfMutexes : public ::testing::Test {
 protected:
  RingOfMutexes() : server_(few()) {}
  ~RingOfMutexes() override {
    for (std::thread& thread : threads_) thread.join();
  }

  // A worker in a thread of its own; it stands in a line when this returns.
  void start(const std::function<void(Worker&)>& work) {
    const uint32_t before = tickets_waiting();
    threads_.emplace_back([this, work] {
      Worker worker(server_.runtime_dir());
      work(worker);
    });
    ASSERT_TRUE(wait_until([&] { return tickets_waiting() == before + 1; }));
  }
  uint32_t tickets_waiting() {
    uint32_t waiting = 0;
    shm::for_each_ticket(server_.view(), [&](uint32_t, shm::TicketRecord& ticket) {
      const shm::WaitWord wait{ticket.wait_word};
      const bool queued = ticket.queue_mutex != 0 || ticket.queue_pool != 0;
      if (queued && wait.state() == shm::WaitState::kWaiting) ++waiting;
    });
    return waiting;
  }
  static void finish(Mutex& mutex, Status outcome) {
    EXPECT_EQ(Status::kOk, outcome);
    if (mutex.held()) {
      EXPECT_TRUE(mutex.unlock());
    }
  }

  HandshakeServer server_;
  std::vector<std::thread> threads_;
};

TEST_F(RingOfMutexes, OverTwoTellsTheLastOneAndNamesIt) {
  Worker last(server_.runtime_dir());
  auto a = last.open_mutex("a");
  auto b = last.open_mutex("b");
  ASSERT_EQ(Status::kOk, a->lock(0));
  start([](Worker& worker) {
    auto b = worker.open_mutex("b");
    auto a = worker.open_mutex("a");
    ASSERT_EQ(Status::kOk, b->lock(0));
    finish(*a, a->lock(Mutex::kForever));
    EXPECT_TRUE(b->unlock());
  });
  EXPECT_EQ(Status::kDeadlock, b->lock(Mutex::kForever));
  EXPECT_NE(std::string::npos, b->ring().find("mutex 'b', which worker ")) << b->ring();
  EXPECT_NE(std::string::npos, b->ring().find("mutex 'a', which this worker has")) << b->ring();
  EXPECT_NE(std::string::npos, b->describe(Status::kDeadlock).find(b->ring()));
  EXPECT_EQ(1u, server_.view().header().deadlocks.load());
  EXPECT_TRUE(a->unlock()) << "and the other one goes on";
}

TEST_F(RingOfMutexes, WaitWithADeadlineBelongsToIt) {
  Worker last(server_.runtime_dir());
  auto a = last.open_mutex("a");
  auto b = last.open_mutex("b");
  ASSERT_EQ(Status::kOk, a->lock(0));
  start([](Worker& worker) {
    auto b = worker.open_mutex("b");
    auto a = worker.open_mutex("a");
    ASSERT_EQ(Status::kOk, b->lock(0));
    finish(*a, a->lock(60 * kSecond));
    EXPECT_TRUE(b->unlock());
  });
  EXPECT_EQ(Status::kDeadlock, b->lock(60 * kSecond));
  EXPECT_TRUE(a->unlock());
}

TEST_F(RingOfMutexes, WhoWaitsForARingFromOutsideIsNotToldOfIt) {
  Worker one(server_.runtime_dir());
  Worker other(server_.runtime_dir());
  auto a = one.open_mutex("a");
  auto b = other.open_mutex("b");
  ASSERT_EQ(Status::kOk, a->lock(0));
  ASSERT_EQ(Status::kOk, b->lock(0));
  // As if neither had seen the other when it began to wait.
  const auto join = [&](Worker& worker, Mutex& wanted) {
    const uint32_t ticket = worker.lane().id().lane();
    shm::join_mutex(worker.lane().view(), wanted.record(),
                    {ticket, worker.lane().id(), shm::monotonic_ns(), shm::kNoDeadline});
    return ticket;
  };
  auto one_wants = one.open_mutex("b");
  auto other_wants = other.open_mutex("a");
  const uint32_t earlier = join(one, *one_wants);
  const uint32_t later = join(other, *other_wants);
  Worker outside(server_.runtime_dir());
  auto wanted = outside.open_mutex("b");
  EXPECT_EQ(Status::kTimeout, wanted->lock(20 * kMilli)) << "its giving up would end nothing";
  const shm::Liveness& liveness = outside.process().liveness();
  EXPECT_FALSE(shm::is_last_of_a_ring(outside.lane().view(), liveness, earlier));
  EXPECT_TRUE(shm::is_last_of_a_ring(outside.lane().view(), liveness, later));
  EXPECT_TRUE(shm::give_up_mutex(one.lane().view(), one_wants->record(), earlier));
  EXPECT_TRUE(shm::give_up_mutex(other.lane().view(), other_wants->record(), later));
}

// A pool's only unit and a mutex: who has the one waits for the other.
TEST_F(RingOfMutexes, KnotThroughAPool) {
  Worker last(server_.runtime_dir());
  auto pool = last.open("p", pool_of(1));
  auto m = last.open_mutex("m");
  LocalSlot& slot = take(*pool);
  start([](Worker& worker) {
    auto m = worker.open_mutex("m");
    auto pool = worker.open("p", pool_of(1));
    ASSERT_EQ(Status::kOk, m->lock(0));
    LocalSlot& slot = take(*pool, Acquire::kForever);
    give_back(*pool, slot);
    EXPECT_TRUE(m->unlock());
  });
  EXPECT_EQ(Status::kDeadlock, m->lock(Mutex::kForever));
  EXPECT_NE(std::string::npos, m->ring().find("pool 'p'")) << m->ring();
  give_back(*pool, slot);
  while (LocalSlot* idle = pool->take_flagged()) pool->finish_close(*idle);
}

TEST_F(RingOfMutexes, PoolsWaiterIsToldWhenItComesLast) {
  Worker last(server_.runtime_dir());
  auto pool = last.open("p", pool_of(1));
  auto m = last.open_mutex("m");
  ASSERT_EQ(Status::kOk, m->lock(0));
  start([](Worker& worker) {
    auto m = worker.open_mutex("m");
    auto pool = worker.open("p", pool_of(1));
    LocalSlot& slot = take(*pool);
    finish(*m, m->lock(Mutex::kForever));
    if (pool->begin_close(slot, shm::CloseReason::kDiscard)) pool->finish_close(slot);
  });
  Acquire acquire(*pool, Acquire::kForever, shm::monotonic_ns());
  EXPECT_EQ(Next::kDeadlock, acquire.step(0).next);
  EXPECT_NE(std::string::npos, acquire.describe(Next::kDeadlock).find("mutex 'm'"));
  EXPECT_TRUE(m->unlock());
}

TEST_F(RingOfMutexes, UnitThatIsNotInAWaitersHandsBreaksTheKnot) {
  Worker last(server_.runtime_dir());
  auto pool = last.open("p", pool_of(2));
  auto m = last.open_mutex("m");
  ASSERT_EQ(Status::kOk, m->lock(0));
  Worker other(server_.runtime_dir());
  auto others = other.open("p", pool_of(2));
  LocalSlot& idle = take(*others);
  start([](Worker& worker) {
    auto m = worker.open_mutex("m");
    auto pool = worker.open("p", pool_of(2));
    LocalSlot& slot = take(*pool);
    finish(*m, m->lock(Mutex::kForever));
    if (pool->begin_close(slot, shm::CloseReason::kDiscard)) pool->finish_close(slot);
  });
  {
    Acquire busy(*pool, Acquire::kForever, shm::monotonic_ns());
    EXPECT_EQ(Next::kWait, busy.step(0).next) << "its owner does something else";
  }
  ASSERT_TRUE(give_back(*others, idle));
  {
    const shm::SlotWord word = shm::load_slot(*idle.record);
    Acquire waiting(*pool, Acquire::kForever, shm::monotonic_ns());
    idle.record->word = word.raw;  // not flagged: its owner keeps it
    EXPECT_EQ(Next::kWait, waiting.step(0).next) << "it is idle";
  }
  EXPECT_TRUE(m->unlock());
}

TEST_F(RingOfMutexes, TimedWaitForAPoolBreaksTheKnot) {
  Worker last(server_.runtime_dir());
  auto pool = last.open("p", pool_of(1));
  auto m = last.open_mutex("m");
  LocalSlot& slot = take(*pool);
  start([](Worker& worker) {
    auto m = worker.open_mutex("m");
    auto pool = worker.open("p", pool_of(1));
    ASSERT_EQ(Status::kOk, m->lock(0));
    Acquire acquire(*pool, 60 * kSecond, shm::monotonic_ns());
    const Acquire::Step step = run(acquire, *pool);
    ASSERT_EQ(Next::kMint, step.next);
    if (pool->begin_close(*step.slot, shm::CloseReason::kDiscard)) pool->finish_close(*step.slot);
    EXPECT_TRUE(m->unlock());
  });
  EXPECT_EQ(Status::kTimeout, m->lock(20 * kMilli));
  if (pool->begin_close(slot, shm::CloseReason::kDiscard)) pool->finish_close(slot);
}

// Three of three: each has one and wants the next one's.
TEST_F(RingOfMutexes, OverThreeIsEndedByOne) {
  std::atomic<int> holding{0};
  std::atomic<int> deadlocks{0};
  std::atomic<int> served{0};
  for (int i = 0; i < 3; ++i) {
    threads_.emplace_back([&, i] {
      Worker worker(server_.runtime_dir());
      auto own = worker.open_mutex("m" + std::to_string(i));
      auto next = worker.open_mutex("m" + std::to_string((i + 1) % 3));
      ASSERT_EQ(Status::kOk, own->lock(0));
      ++holding;
      ASSERT_TRUE(wait_until([&] { return holding == 3; }));
      const Status outcome = next->lock(Mutex::kForever);
      if (outcome == Status::kDeadlock) ++deadlocks;
      if (outcome == Status::kOk) ++served;
      next->discard();
      EXPECT_TRUE(own->unlock());
    });
  }
  EXPECT_TRUE(wait_until([&] { return deadlocks + served == 3; }));
  EXPECT_EQ(1, deadlocks);
}

// Several threads for few mutexes, so that nearly every lock has to wait, in ever other
// constellations, none of which can ever be a ring: nobody may be told of one. Beside what those
// who wait look for themselves, another one looks on their behalf all the time.
class NoRing : public RingOfMutexes {
 protected:
  static constexpr int kRuns = 100'000;
  using Mutexes = std::vector<std::unique_ptr<Mutex>>;

  // `run` takes some of the mutexes by take(); all are free again afterwards.
  void run_many(const std::function<void(Mutexes&, std::mt19937&)>& run) {
    constexpr uint32_t kThreads = 4;
    for (uint32_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([&, i] {
        std::mt19937 random(i);
        Worker worker(server_.runtime_dir());
        Mutexes mutexes;
        for (int m = 0; m < 4; ++m) {
          mutexes.push_back(worker.open_mutex("m" + std::to_string(m)));
          mutexes.back()->set_spins(0);
        }
        while (runs_++ < kRuns) {
          run(mutexes, random);
          for (auto& mutex : mutexes) mutex->discard();
        }
        for (const auto& mutex : mutexes) contended_ += mutex->seat().contended;
      });
    }
    std::thread watcher([&] {
      Worker worker(server_.runtime_dir());
      const shm::SegmentView& view = worker.lane().view();
      while (runs_ < kRuns) {
        for (uint32_t ticket = 1; ticket < view.high_water(shm::kLaneTable); ++ticket) {
          if (shm::is_last_of_a_ring(view, worker.process().liveness(), ticket)) ++alarms_;
        }
      }
    });
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    watcher.join();
    EXPECT_EQ(0, alarms_);
    EXPECT_EQ(0, failures_);
    EXPECT_GT(contended_, 1000u) << "else nothing was tried";
  }
  void take(Mutex& mutex, std::mt19937& random) {
    const Status outcome = mutex.lock(random() % 2 == 0 ? 100 * kSecond : Mutex::kForever);
    if (outcome == Status::kDeadlock) ++alarms_;
    if (outcome != Status::kOk) ++failures_;
    if (random() % 8 == 0) std::this_thread::yield();
  }

  std::atomic<int> alarms_{0};
  std::atomic<int> failures_{0};
  std::atomic<int> runs_{0};
  std::atomic<uint64_t> contended_{0};
};

TEST_F(NoRing, AmongThoseWhoTakeThemInOrder) {
  run_many([&](Mutexes& mutexes, std::mt19937& random) {
    const uint32_t wanted = 1 + static_cast<uint32_t>(random()) % 15;
    for (uint32_t m = 0; m < 4; ++m) {
      if ((wanted >> m & 1) != 0) take(*mutexes[m], random);
    }
  });
}

// In any order, but only who has the first one takes a second; so who is seen holding and who is
// seen waiting are often the same, at different times.
TEST_F(NoRing, AmongThoseWhoComeThroughAGate) {
  run_many([&](Mutexes& mutexes, std::mt19937& random) {
    take(*mutexes[0], random);
    std::vector<int> order{1, 2, 3};
    std::shuffle(order.begin(), order.end(), random);
    const size_t count = 1 + random() % 3;
    for (size_t i = 0; i < count; ++i) take(*mutexes[order[i]], random);
    if (random() % 2 == 0) mutexes[0]->discard();
    if (random() % 4 == 0) std::this_thread::yield();
  });
}

// Out of order, so that real rings come, too: each is ended, and everybody comes to an end.
TEST_F(RingOfMutexes, RealOnesAreAllEnded) {
  constexpr int kThreads = 4;
  constexpr int kMutexes = 3;
  constexpr int kRuns = 300;
  std::atomic<int> alarms{0};
  for (int i = 0; i < kThreads; ++i) {
    threads_.emplace_back([&, i] {
      std::mt19937 random(static_cast<uint32_t>(i));
      Worker worker(server_.runtime_dir());
      std::vector<std::unique_ptr<Mutex>> mutexes;
      for (int m = 0; m < kMutexes; ++m) {
        mutexes.push_back(worker.open_mutex("m" + std::to_string(m)));
      }
      for (int run = 0; run < kRuns; ++run) {
        std::vector<int> order{0, 1, 2};
        std::shuffle(order.begin(), order.end(), random);
        for (const int m : order) {
          const Status outcome = mutexes[m]->lock(Mutex::kForever);
          if (outcome == Status::kDeadlock) {
            ++alarms;
            break;
          }
          EXPECT_EQ(Status::kOk, outcome);
          std::this_thread::yield();
        }
        for (auto& mutex : mutexes) mutex->discard();
      }
    });
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  EXPECT_GT(alarms, 0);
}

}  // namespace
}  // namespace oxpool::test
