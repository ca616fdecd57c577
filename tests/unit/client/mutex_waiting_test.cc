// Waiting for a mutex: in line, woken, handed over to, and left again.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "client/mutex.h"
#include "shm/lane.h"
#include "shm/mutex_inspection.h"
#include "tests/unit/child_process.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class WaitingForAMutex : public ::testing::Test {
 protected:
  WaitingForAMutex() : server_(few()), holder_(server_.runtime_dir()) {
    shm::MutexRequest request;
    request.given_name = true;
    held_ = holder_.open_mutex("m", request);
    record_ = server_.view().mutex(0);
    EXPECT_EQ(Status::kOk, held_->lock(0));
  }
  ~WaitingForAMutex() override {
    for (std::thread& thread : threads_) thread.join();
  }

  // A worker of its own that waits; it is in line when this returns.
  void start(std::function<void(Worker&, Mutex&)> work) {
    const uint32_t before = waiters();
    threads_.emplace_back([this, work] {
      Worker worker(server_.runtime_dir());
      auto mutex = worker.open_mutex("m");
      mutex->set_spins(0);
      work(worker, *mutex);
      mutex.reset();
    });
    ASSERT_TRUE(wait_until([&] { return waiters() == before + 1; }));
  }
  uint32_t waiters() const { return shm::count_lock_waiters(server_.view(), *record_); }
  uint64_t asked_for() const { return shm::load_mutex(*record_).raw & shm::MutexWord::kHandOver; }

  HandshakeServer server_;
  Worker holder_;
  std::unique_ptr<Mutex> held_;
  shm::MutexRecord* record_;
  std::vector<std::thread> threads_;
};

TEST_F(WaitingForAMutex, IsServedWhenTheHolderUnlocks) {
  std::atomic<int> got{0};
  start([&](Worker&, Mutex& mutex) {
    EXPECT_EQ(Status::kOk, mutex.lock(Mutex::kForever));
    ++got;
    EXPECT_TRUE(mutex.unlock());
  });
  EXPECT_EQ(0, got);
  EXPECT_TRUE(held_->unlock());
  EXPECT_TRUE(wait_until([&] { return got == 1; }));
  EXPECT_TRUE(wait_until([&] { return waiters() == 0; }));
}

TEST_F(WaitingForAMutex, FirstInLineAsksAndIsHandedItInOrder) {
  // Atomic only for the thread sanitizer: each worker maps the mutex at another address.
  std::atomic<int> order{0};
  std::atomic<int> done{0};
  for (int i = 0; i < 3; ++i) {
    start([&, i](Worker&, Mutex& mutex) {
      EXPECT_EQ(Status::kOk, mutex.lock(60 * kSecond));
      order = 10 * order + i + 1;
      EXPECT_TRUE(wait_until([&] { return i == 2 || asked_for() != 0; }));
      EXPECT_TRUE(mutex.unlock());
      ++done;
    });
  }
  EXPECT_TRUE(wait_until([&] { return asked_for() != 0; })) << "the first one has waited its time";
  EXPECT_TRUE(held_->unlock());
  EXPECT_EQ(Status::kSaturated, held_->lock(0)) << "it was handed over, not freed";
  EXPECT_TRUE(wait_until([&] { return done == 3; }));
  EXPECT_EQ(123, order);
  EXPECT_EQ(3u, shm::sum_mutex(server_.view(), *record_).contended);
}

TEST_F(WaitingForAMutex, DeadlineEndsTheWaitAndTheNextOneIsFirst) {
  std::atomic<int> got{0};
  std::atomic<int> timeouts{0};
  start([&](Worker&, Mutex& mutex) {
    EXPECT_EQ(Status::kTimeout, mutex.lock(50 * kMilli));
    ++timeouts;
  });
  start([&](Worker&, Mutex& mutex) {
    EXPECT_EQ(Status::kOk, mutex.lock(Mutex::kForever));
    ++got;
    EXPECT_TRUE(mutex.unlock());
  });
  ASSERT_TRUE(wait_until([&] { return timeouts == 1; }));
  EXPECT_EQ(1u, waiters());
  ASSERT_TRUE(wait_until([&] { return asked_for() != 0; })) << "the second one is first now";
  EXPECT_TRUE(held_->unlock());
  EXPECT_TRUE(wait_until([&] { return got == 1; }));
}

TEST_F(WaitingForAMutex, CallerEndsTheWait) {
  std::atomic<int> calls{0};
  std::atomic<bool> enough{false};
  std::atomic<int> ended{0};
  struct Context {
    std::atomic<int>* calls;
    std::atomic<bool>* enough;
  } context{&calls, &enough};
  start([&](Worker&, Mutex& mutex) {
    const Interrupt interrupt = [](void* context) {
      auto* is = static_cast<Context*>(context);
      ++*is->calls;
      return !is->enough->load();
    };
    EXPECT_EQ(Status::kInterrupted, mutex.lock(Mutex::kForever, interrupt, &context));
    EXPECT_FALSE(mutex.held());
    ++ended;
  });
  ASSERT_TRUE(wait_until([&] { return calls > 1; }));
  enough = true;
  ASSERT_TRUE(wait_until([&] { return ended == 1; }));
  EXPECT_EQ(0u, waiters());
  EXPECT_TRUE(held_->unlock());
  EXPECT_EQ(Status::kOk, held_->lock(0));
}

// A frame of the wait that was jumped over: what the lane still waits for is given up.
TEST_F(WaitingForAMutex, LaneGivesUpWhatWasJumpedOutOf) {
  std::atomic<int> ended{0};
  struct Context {
    Lane* lane;
    Mutex* mutex;
  };
  start([&](Worker& worker, Mutex& mutex) {
    Context context{&worker.lane(), &mutex};
    const Interrupt interrupt = [](void* context) {
      auto* is = static_cast<Context*>(context);
      is->lane->cancel_waits();
      return true;
    };
    EXPECT_EQ(Status::kInterrupted, mutex.lock(Mutex::kForever, interrupt, &context));
    EXPECT_FALSE(mutex.held());
    ++ended;
  });
  ASSERT_TRUE(wait_until([&] { return ended == 1; }));
  EXPECT_EQ(0u, waiters());
}

TEST_F(WaitingForAMutex, HandlerMayWaitForAnotherMutexAndIsToldOfTheSame) {
  struct Context {
    Mutex* waited;
    Mutex* other;
    std::atomic<int> rounds{0};
  };
  std::atomic<int> ended{0};
  Context context;
  start([&](Worker& worker, Mutex& mutex) {
    auto other = worker.open_mutex("other");
    context.waited = &mutex;
    context.other = other.get();
    const Interrupt interrupt = [](void* context) {
      auto* is = static_cast<Context*>(context);
      EXPECT_EQ(Status::kDeadlock, is->waited->lock(kSecond)) << "it waits for it already";
      EXPECT_EQ(Status::kOk, is->other->lock(kSecond));
      EXPECT_TRUE(is->other->unlock());
      ++is->rounds;
      return true;
    };
    EXPECT_EQ(Status::kOk, mutex.lock(Mutex::kForever, interrupt, &context));
    EXPECT_TRUE(mutex.unlock());
    ++ended;
  });
  ASSERT_TRUE(wait_until([&] { return context.rounds > 0; }));
  EXPECT_TRUE(held_->unlock());
  ASSERT_TRUE(wait_until([&] { return ended == 1; }));
}

TEST_F(WaitingForAMutex, RemovalWakesEverybody) {
  std::atomic<int> told{0};
  for (int i = 0; i < 3; ++i) {
    start([&](Worker&, Mutex& mutex) {
      EXPECT_EQ(Status::kRemoved, mutex.lock(Mutex::kForever));
      ++told;
    });
  }
  bool removed = false;
  ASSERT_FALSE(holder_.lane().remove_name("m", &removed));
  EXPECT_TRUE(wait_until([&] { return told == 3; })) << "while it is still held";
  EXPECT_TRUE(held_->unlock());
}

TEST_F(WaitingForAMutex, NoTicketIsLeftToWaitWith) {
  auto& view = server_.view();
  std::vector<uint32_t> all;
  for (;;) {
    const uint32_t ticket = shm::claim_extra_ticket(view, holder_.lane().id());
    if (ticket == shm::kNoIndex) break;
    all.push_back(ticket);
  }
  Worker worker(server_.runtime_dir());
  auto mutex = worker.open_mutex("m");
  view.ticket(worker.lane().id().lane())->queue_pool = 1;  // as left in a queue
  EXPECT_EQ(Status::kCapacity, mutex->lock(kSecond));
  EXPECT_NE(std::string::npos, mutex->describe(Status::kCapacity).find("limits.extra_tickets"));
  view.ticket(worker.lane().id().lane())->queue_pool = 0;
  for (const uint32_t ticket : all) shm::release_ticket(view, ticket);
}

// Processes, as workers are: every increment counts.
TEST(MutexOfProcesses, IncrementsSumUp) {
  constexpr int kProcesses = 4;
  constexpr uint64_t kIncrements = 100'000;
  HandshakeServer server(few());
  shm::MutexRequest request;
  request.given_name = true;
  const uint64_t zero = 0;
  request.initial = {reinterpret_cast<const char*>(&zero), sizeof zero};
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<ChildProcess>([&] {
      Worker worker(server.runtime_dir());
      auto mutex = worker.open_mutex("m", request);
      for (uint64_t n = 0; n < kIncrements; ++n) {
        if (mutex->lock(Mutex::kForever) != Status::kOk) return 1;
        uint64_t value;
        std::memcpy(&value, mutex->value().bytes.data(), sizeof value);
        ++value;
        if (mutex->commit({reinterpret_cast<const char*>(&value), sizeof value}) != Status::kOk) {
          return 2;
        }
        if (!mutex->unlock()) return 3;
      }
      return 0;
    }));
  }
  for (auto& child : children) EXPECT_EQ(0, child->wait(110));
  std::string bytes;
  shm::ValueWord word;
  ASSERT_TRUE(shm::copy_value(server.view(), *server.view().mutex(0), &bytes, &word));
  uint64_t sum;
  ASSERT_EQ(sizeof sum, bytes.size());
  std::memcpy(&sum, bytes.data(), sizeof sum);
  EXPECT_EQ(kProcesses * kIncrements, sum);
  EXPECT_EQ(kProcesses * kIncrements,
            shm::sum_mutex(server.view(), *server.view().mutex(0)).acquires);
}

// Who reads without the lock while others write sees whole values only.
TEST(MutexOfProcesses, ReaderWithoutTheLockSeesWholeValues) {
  HandshakeServer server(few());
  Worker writer(server.runtime_dir());
  auto mutex = writer.open_mutex("m");
  std::atomic<bool> stop{false};
  std::thread other([&] {
    int turn = 0;
    while (!stop) {
      // Below and above what the record holds, and growing now and then.
      const auto letter = static_cast<char>('a' + turn % 26);
      const std::string value(turn % 3 == 0 ? 100 : 300 + turn % 2000, letter);
      ++turn;
      ASSERT_EQ(Status::kOk, mutex->lock(0));
      ASSERT_EQ(Status::kOk, mutex->commit(value));
      ASSERT_TRUE(mutex->unlock());
    }
  });
  uint64_t last = 0;
  int read = 0;
  EXPECT_TRUE(wait_until(
      [&] {
        std::string bytes;
        shm::ValueWord word;
        if (!shm::copy_value(server.view(), *server.view().mutex(0), &bytes, &word)) return false;
        EXPECT_GE(word.version(), last);
        EXPECT_EQ(word.bytes(), bytes.size());
        last = word.version();
        if (bytes.find_first_not_of(bytes.empty() ? 'x' : bytes[0]) != std::string::npos) {
          ADD_FAILURE() << "torn in version " << word.version();
          return true;
        }
        return ++read == 2000;
      },
      60));
  stop = true;
  other.join();
}

}  // namespace
}  // namespace oxpool::test
