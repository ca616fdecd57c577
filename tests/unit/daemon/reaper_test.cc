#include "daemon/reaper.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "daemon/token_sweep.h"
#include "segment_fixture.h"
#include "shm/burial.h"

namespace oxpool::daemon {
namespace {

using shm::SlotState;

constexpr int64_t kMs = shm::kNanosPerMilli;

// A process that only waits to be killed, and its pidfd.
class Child {
 public:
  Child() {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ready[1], STDOUT_FILENO);
      close_range(3, ~0u, 0);  // or it would keep the tokens of all workers
      if (write(STDOUT_FILENO, "x", 1) == 1) {
        for (;;) pause();
      }
      _exit(1);
    }
    close(ready[1]);
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }
  UniqueFd take_pidfd() { return std::move(pidfd_); }

 private:
  pid_t pid_;
  UniqueFd pidfd_;
};

class ReaperTest : public SegmentFixture {
 protected:
  ReaperTest() : reaper(io, store), worker(attach()) {}

  bool buried(const TestWorker& who) { return !segment->is_current(who.ref()); }
  // Runs the reaper's own timers and descriptors until the worker is buried, 5 s at most.
  bool buried_in_time(const TestWorker& who) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!buried(who) && std::chrono::steady_clock::now() < give_up) {
      io.restart();
      io.run_for(std::chrono::milliseconds(1));
    }
    return buried(who);
  }

  boost::asio::io_context io;
  Reaper reaper;
  TestWorker worker;
};

TEST_F(ReaperTest, ADeadHoldersMutexIsCorruptedThoughNobodyAsks) {
  shm::MutexRecord& corrupts = make_mutex("corrupts", worker.lane);
  shm::MutexRecord& recovers = make_mutex("recovers", worker.lane);
  recovers.on_owner_death.store(static_cast<uint32_t>(shm::OnOwnerDeath::kRecover));
  for (shm::MutexRecord* mutex : {&corrupts, &recovers}) {
    ASSERT_TRUE(shm::lock_if_open(*mutex, worker.lane));
  }
  reaper.watch(worker.ref(), UniqueFd());
  worker.die();
  reaper.alarm(worker.ref());
  ASSERT_TRUE(buried_in_time(worker));
  EXPECT_EQ(shm::MutexWord::kCorrupted, corrupts.lock.load());
  EXPECT_EQ(0u, recovers.lock.load());
  EXPECT_EQ(0u, corrupts.seats.load());
  EXPECT_TRUE(shm::is_live(corrupts)) << "its name keeps it";
}

TEST_F(ReaperTest, NobodyIsBuriedWhoseTokenIsHeld) {
  reaper.watch(worker.ref(), UniqueFd());
  int64_t now_ns = shm::monotonic_ns();
  reaper.alarm(worker.ref());
  for (int i = 0; i < 100; ++i) reaper.look(now_ns += 100 * kMs);
  EXPECT_FALSE(buried(worker));
  EXPECT_EQ(reaper.look(now_ns), shm::kNoDeadline) << "it is left to the sweep";
}

TEST_F(ReaperTest, SlotsAreGrantedFiftyMillisecondsAfterTheTokenWhenNothingElseIsKnown) {
  auto& pool = make_pool("p", worker.lane);
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse);
  reaper.watch(worker.ref(), UniqueFd());
  worker.die();
  reaper.alarm(worker.ref());
  const int64_t now_ns = shm::monotonic_ns() + kMs;
  EXPECT_EQ(reaper.look(now_ns), now_ns + 50 * kMs);
  reaper.look(now_ns + 49 * kMs);
  EXPECT_FALSE(buried(worker));
  EXPECT_EQ(shm::load_slot(slot).state(), SlotState::kInUse);
  reaper.look(now_ns + 50 * kMs);
  EXPECT_TRUE(buried(worker));
  EXPECT_EQ(shm::load_slot(slot).state(), SlotState::kFree);
  EXPECT_EQ(reaper.watched(), 0u);
}

TEST_F(ReaperTest, TheProcesssEndBringsTheBurialForward) {
  Child child;
  reaper.watch(worker.ref(), child.take_pidfd());
  worker.die();
  reaper.alarm(worker.ref());
  reaper.look(shm::monotonic_ns() + kMs);
  io.poll();
  ASSERT_FALSE(buried(worker)) << "its process still lives, so its sockets may be open";
  const int64_t killed_ns = shm::monotonic_ns();
  child.end();
  io.restart();
  io.poll();
  EXPECT_TRUE(buried(worker));
  EXPECT_LT(shm::monotonic_ns() - killed_ns, 5000 * kMs);
}

TEST_F(ReaperTest, AProcessThatTakesLongToEndIsWaitedForAndOneThatGoesOnIsNotForever) {
  Child child;
  reaper.watch(worker.ref(), child.take_pidfd());
  worker.die();
  reaper.alarm(worker.ref());
  const int64_t now_ns = shm::monotonic_ns() + kMs;
  reaper.look(now_ns);
  reaper.look(now_ns + 4999 * kMs);
  EXPECT_FALSE(buried(worker)) << "it may still be closing its sockets";
  reaper.look(now_ns + 5000 * kMs);
  EXPECT_TRUE(buried(worker));
}

TEST_F(ReaperTest, TheEndOfAnEarlierDaemonsWorkerIsSeenByItsPid) {
  Child child;
  TestWorker adopted = attach(child.pid());
  adopted.die();
  reaper.alarm(adopted.ref());
  int64_t now_ns = shm::monotonic_ns() + kMs;
  reaper.look(now_ns);
  reaper.look(now_ns + 1000 * kMs);
  EXPECT_FALSE(buried(adopted)) << "its process still lives";
  child.end();
  EXPECT_TRUE(buried_in_time(adopted));
}

TEST_F(ReaperTest, AWorkerThatClosedItsLanesIsNotWaitedFor) {
  Child child;
  reaper.watch(worker.ref(), child.take_pidfd());
  shm::close_lane(view(), worker.lane);
  worker.die();
  reaper.alarm(worker.ref());
  reaper.look(shm::monotonic_ns() + kMs);
  EXPECT_TRUE(buried(worker));
}

TEST_F(ReaperTest, AnEndedProcessWhoseTokenIsHeldElsewhereLives) {
  Child child;
  reaper.watch(worker.ref(), child.take_pidfd());
  child.end();
  for (int i = 0; i < 20; ++i) {
    io.restart();
    io.run_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(buried(worker));
}

TEST_F(ReaperTest, ItsOwnTimerBuries) {
  reaper.watch(worker.ref(), UniqueFd());
  reaper.alarm(worker.ref());  // the session ended a moment before the token
  io.poll();
  worker.die();
  EXPECT_TRUE(buried_in_time(worker));
}

TEST_F(ReaperTest, AnotherLifeOfTheRecordIsNotTouched) {
  const ProcessRef earlier{worker.ref().segment, worker.ref().process,
                           worker.ref().incarnation - 1};
  reaper.alarm(earlier);
  worker.die();
  reaper.look(shm::monotonic_ns() + 1000 * kMs);
  reaper.look(shm::monotonic_ns() + 2000 * kMs);
  EXPECT_FALSE(buried(worker));
  reaper.alarm({worker.ref().segment + 1, worker.ref().process, worker.ref().incarnation});
  reaper.look(shm::monotonic_ns() + 1000 * kMs);
  EXPECT_FALSE(buried(worker));
}

TEST_F(ReaperTest, SomebodyStoppedInsideALockHoldsUpTheBurialAndNotTheLoop) {
  TestWorker stopped = attach();
  auto& pool = make_pool("p", worker.lane);
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse);
  reaper.watch(worker.ref(), UniqueFd());
  worker.die();
  const shm::Liveness liveness;
  const shm::LockContext context{stopped.lane, &liveness};
  int64_t now_ns = shm::monotonic_ns();
  {
    shm::PoolLock held(view(), pool, context, 0);
    ASSERT_TRUE(held.held());
    reaper.alarm(worker.ref());
    reaper.look(now_ns += kMs);
    const int64_t began_ns = shm::monotonic_ns();
    for (int i = 0; i < 5; ++i) reaper.look(now_ns += 20'000 * kMs);
    EXPECT_LT(shm::monotonic_ns() - began_ns, 1000 * kMs);
    EXPECT_FALSE(buried(worker));
    EXPECT_EQ(shm::load_slot(slot).state(), SlotState::kInUse);
  }
  reaper.look(now_ns + 20'000 * kMs);
  EXPECT_TRUE(buried(worker));
  EXPECT_EQ(shm::load_slot(slot).state(), SlotState::kFree);
}

TEST_F(ReaperTest, ADeadHolderOfTheLockIsNoObstacle) {
  TestWorker other = attach();
  auto& pool = make_pool("p", worker.lane);
  make_slot(pool, worker.lane, SlotState::kInUse);
  const shm::Liveness liveness;
  const shm::LockContext context{other.lane, &liveness};
  ASSERT_EQ(shm::RobustMutex::lock(pool.lock, context, 0), shm::LockResult::kAcquired);
  other.die();
  worker.die();
  reaper.alarm(worker.ref());
  EXPECT_TRUE(buried_in_time(worker));
}

TEST_F(ReaperTest, ARecordIsUsedAgainAfterTheBurial) {
  worker.die();
  reaper.alarm(worker.ref());
  ASSERT_TRUE(buried_in_time(worker));
  const TestWorker next = attach();
  EXPECT_EQ(next.ref().process, worker.ref().process);
  EXPECT_NE(next.ref().incarnation, worker.ref().incarnation);
}

TEST_F(ReaperTest, TheSweepFindsTheDeadOfWhomNoAlarmTold) {
  TestWorker dead = attach();
  TestWorker alive = attach();
  dead.die();
  TokenSweep sweep;
  for (int i = 0; i < 5; ++i) sweep.step(*segment, 5, &reaper);
  EXPECT_EQ(reaper.watched(), 1u);
  EXPECT_TRUE(buried_in_time(dead));
  EXPECT_FALSE(buried(alive));
  EXPECT_FALSE(buried(worker));
}

TEST_F(ReaperTest, OneStepOfTheSweepCanBeAWholeRound) {
  std::vector<TestWorker> all;
  for (int i = 0; i < 10; ++i) all.push_back(attach());
  for (TestWorker& one : all) one.die();
  TokenSweep().step(*segment, 1, &reaper);
  EXPECT_EQ(reaper.watched(), 10u);
}

// Records are the clients' to write: dead workers with pids that live.
TEST_F(ReaperTest, ScribbledPidsDoNotUseUpTheDescriptors) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const UniqueFd lowest(dup(0));
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(lowest.get()) + 20;
  setrlimit(RLIMIT_NOFILE, &few);
  for (uint32_t i = 2; i < view().count(shm::kProcessTable); ++i) {
    view().raise_high_water(shm::kProcessTable, i + 1);
    view().process(i)->pid = static_cast<uint32_t>(getpid());
    view().process(i)->incarnation = 1000 + i;
    view().raise_high_water(shm::kLaneTable, i + 1);
    view().lane(i)->claim = shm::OwnerId::make(i, 1000 + i).raw;
    reaper.alarm({segment->serial(), i, 1000 + i});
  }
  int64_t now_ns = shm::monotonic_ns();
  reaper.look(now_ns);
  const UniqueFd next(dup(0));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(next.valid()) << "none is left";
  EXPECT_LE(static_cast<rlim_t>(next.get()), std::max<rlim_t>(few.rlim_cur / 2, lowest.get() + 2));
  for (int i = 0; i < 20; ++i) reaper.look(now_ns += 1000 * kMs);
  EXPECT_EQ(view().process(5)->incarnation.load(), 0u) << "all are buried in the end";
}

// As many lanes at a time as the caller has time for.
TEST_F(ReaperTest, ABurialOfManyLanesGoesOnWhereItWasCut) {
  const ProcessRef ref = worker.ref();
  shm::open_lane(view(), ref.process, ref.incarnation, 2);
  shm::open_lane(view(), ref.process, ref.incarnation, 3);
  worker.die();
  for (int lane = 0; lane < 2; ++lane) {
    const shm::Burial burial =
        shm::bury_process(view(), segment->locks(), ref.process, ref.incarnation, 1, 0, 1);
    EXPECT_EQ(1u, burial.lanes);
    EXPECT_TRUE(burial.more);
    EXPECT_FALSE(burial.complete);
    EXPECT_FALSE(buried(worker));
  }
  const shm::Burial burial =
      shm::bury_process(view(), segment->locks(), ref.process, ref.incarnation, 1, 0, 1);
  EXPECT_TRUE(burial.complete);
  EXPECT_FALSE(burial.more);
  EXPECT_TRUE(buried(worker));
}

}  // namespace
}  // namespace oxpool::daemon
