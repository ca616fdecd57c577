// A worker between two requests: what was flagged is closed by its signal handler.
#include "client/sleep.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "shm/locks.h"
#include "shm/rebalance.h"
#include "tests/unit/child_process.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;
using shm::LaneSleep;
using shm::SlotState;

class SleepTest : public ::testing::Test {
 protected:
  SleepTest()
      : server_(few()), worker_(server_.runtime_dir()), pool_(worker_.open("p", pool_of(2))) {
    EXPECT_TRUE(wait_until([&] { return server_.sessions_made() == 1; }));
    Sleep::use_signal(Sleep::usual_signal());
    EXPECT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_));
  }
  ~SleepTest() override {
    Sleep::end();
    close(sockets_[0]);
    if (sockets_[1] >= 0) close(sockets_[1]);
  }

  // An idle slot whose resource is a connection; sockets_[1] is the other end.
  LocalSlot& idle_one() {
    LocalSlot& slot = take(*pool_);
    struct stat status {};
    fstat(sockets_[0], &status);
    slot.sockets = {{sockets_[0], status.st_ino}};
    EXPECT_TRUE(give_back(*pool_, slot));
    return slot;
  }
  void sleep() {
    Pool* pools[] = {pool_.get()};
    Sleep::begin(worker_.lane(), pools, nullptr);
  }
  LaneSleep how_it_sleeps() { return shm::sleep_of(server_.view(), worker_.lane().id()); }
  void flag(LocalSlot& slot, CloseReason reason) {
    EXPECT_TRUE(shm::flag_idle(server_.view(), *slot.record, reason));
  }
  SlotState state(const shm::SlotRecord* record) { return shm::load_slot(*record).state(); }
  bool other_end_saw_the_end() {
    pollfd entry{sockets_[1], POLLRDHUP, 0};
    return poll(&entry, 1, 0) == 1;
  }
  uint64_t closed_asleep() {
    return pool_->seat().counts.counters[static_cast<uint8_t>(Counter::closed_asleep)];
  }

  HandshakeServer server_;
  Worker worker_;
  std::unique_ptr<Pool> pool_;
  int sockets_[2];
};

TEST_F(SleepTest, AFlaggedSlotIsClosedByTheDaemonsByte) {
  LocalSlot& slot = idle_one();
  const shm::SlotRecord* record = slot.record;
  slot.resource = this;
  sleep();
  EXPECT_EQ(LaneSleep::kSignal, how_it_sleeps());
  flag(slot, CloseReason::kEvict);
  EXPECT_EQ(SlotState::kIdle, state(record)) << "nobody told it";
  server_.wake_all();
  EXPECT_TRUE(wait_until([&] { return state(record) == SlotState::kFree; }));
  EXPECT_TRUE(other_end_saw_the_end());
  EXPECT_EQ(1u, closed_asleep());
  EXPECT_EQ(1u, pool_->seat().counts.evicted[static_cast<uint8_t>(CloseReason::kEvict)]);
  EXPECT_FALSE(worker_.lane().has_attention());

  Sleep::end();
  EXPECT_EQ(LaneSleep::kAwake, how_it_sleeps());
  LocalSlot* reaped = pool_->take_reaped();
  ASSERT_EQ(&slot, reaped);
  EXPECT_EQ(this, reaped->resource);
  EXPECT_EQ(nullptr, pool_->take_reaped());
  EXPECT_EQ(0u, pool_->idle_here());
  EXPECT_TRUE(worker_.lane().usable()) << "a slot that the handler closed is no loss";
  EXPECT_NE(nullptr, acquire_from(*pool_, 0).slot);
}

TEST_F(SleepTest, WhatWasFlaggedBeforeIsClosedAtOnce) {
  LocalSlot& slot = idle_one();
  const shm::SlotRecord* record = slot.record;
  flag(slot, CloseReason::kEvict);
  sleep();
  EXPECT_EQ(SlotState::kFree, state(record));
}

TEST_F(SleepTest, AVoidFlagIsTakenAway) {
  LocalSlot& slot = idle_one();
  sleep();
  flag(slot, CloseReason::kReclaim);  // nobody waits
  server_.wake_all();
  EXPECT_TRUE(
      wait_until([&] { return shm::load_slot(*slot.record).reason() == CloseReason::kNone; }));
  EXPECT_EQ(SlotState::kIdle, state(slot.record));
  Sleep::end();
  EXPECT_EQ(nullptr, pool_->take_reaped());
  EXPECT_EQ(&slot, pool_->reuse_idle());
}

TEST_F(SleepTest, TheUnitGoesToWhoWaits) {
  LocalSlot& other = take(*pool_);
  LocalSlot& slot = idle_one();
  sleep();
  std::thread waiter([&] {
    Worker second(server_.runtime_dir());
    const auto pool = second.open("p", pool_of(2));
    EXPECT_EQ(Next::kMint, acquire_from(*pool, 30 * kSecond).next);
  });
  EXPECT_TRUE(wait_until([&] { return shm::load_pressure(pool_->record()).waiting() == 1; }));
  shm::flag_idle(server_.view(), *slot.record, CloseReason::kReclaim);  // or the waiter has
  server_.wake_all();
  waiter.join();
  Sleep::end();
  EXPECT_EQ(&slot, pool_->take_reaped());
  EXPECT_TRUE(give_back(*pool_, other));
}

TEST_F(SleepTest, ASlotWithoutSocketsIsLeftToItsOwner) {
  LocalSlot& slot = take(*pool_);
  EXPECT_TRUE(give_back(*pool_, slot));
  sleep();
  EXPECT_EQ(LaneSleep::kAwake, how_it_sleeps()) << "there is nothing that it could close";
}

TEST_F(SleepTest, AWorkerThatIsAwakeIsNotInterrupted) {
  LocalSlot& slot = idle_one();
  sleep();
  Sleep::end();
  flag(slot, CloseReason::kEvict);
  server_.wake_all();
  raise(Sleep::usual_signal());
  EXPECT_EQ(SlotState::kIdle, state(slot.record));
  EXPECT_EQ(&slot, pool_->take_flagged());
  pool_->finish_close(slot);
}

TEST_F(SleepTest, AFlagThatItCouldNotJudgeIsSeenWhenItWakes) {
  shm::PoolRequest request = pool_of(2);
  request.min_idle = 1;
  request.idle_timeout_ms = 1;
  EXPECT_FALSE(worker_.lane().request_settings(*pool_, request));
  LocalSlot& slot = idle_one();
  EXPECT_TRUE(wait_until([&] { return pool_->idle_ns(slot) > 2 * kMilli; }));
  Worker second(server_.runtime_dir());
  sleep();
  {
    shm::PoolLock lock(server_.view(), pool_->record(), second.lane().lock_context(), kSecond);
    ASSERT_TRUE(lock.held());
    flag(slot, CloseReason::kIdleTimeout);
    const uint32_t before = Sleep::wakes();
    server_.wake_all();
    EXPECT_TRUE(wait_until([&] { return Sleep::wakes() > before; }));
    EXPECT_EQ(SlotState::kIdle, state(slot.record));
  }
  Sleep::end();
  EXPECT_TRUE(worker_.lane().has_attention());
}

TEST_F(SleepTest, AForkedChildTouchesNothing) {
  LocalSlot& slot = idle_one();
  sleep();
  flag(slot, CloseReason::kEvict);
  EXPECT_EQ(0, ChildProcess([&] {
                 raise(Sleep::usual_signal());
                 Sleep::end();
                 return shm::load_slot(*slot.record).state() == SlotState::kIdle ? 0 : 1;
               }).wait());
  EXPECT_EQ(LaneSleep::kSignal, how_it_sleeps());
  server_.wake_all();
  EXPECT_TRUE(wait_until([&] { return state(slot.record) == SlotState::kFree; }))
      << "the child's end has not disarmed its parent";
}

int g_earlier_calls = 0;

TEST(SleepSignal, WhatWasThereBeforeIsCalledToo) {
  EXPECT_EQ(0, ChildProcess([] {
                 signal(SIGUSR2, [](int) { ++g_earlier_calls; });
                 Sleep::use_signal(SIGUSR2);
                 raise(SIGUSR2);
                 if (Sleep::wakes() == 0) return 0;  // this program has another one already
                 return g_earlier_calls == 1 ? 0 : 1;
               }).wait());
}

TEST(SleepSignal, TakesSignalsThatCanBeSpared) {
  EXPECT_TRUE(Sleep::is_signal(0));
  EXPECT_TRUE(Sleep::is_signal(SIGRTMIN));
  EXPECT_TRUE(Sleep::is_signal(SIGRTMAX));
  EXPECT_TRUE(Sleep::is_signal(Sleep::usual_signal()));
  EXPECT_FALSE(Sleep::is_signal(SIGKILL));
  EXPECT_FALSE(Sleep::is_signal(SIGTERM));
  EXPECT_FALSE(Sleep::is_signal(SIGQUIT));
  EXPECT_FALSE(Sleep::is_signal(SIGRTMAX + 1));
}

}  // namespace
}  // namespace oxpool::test
