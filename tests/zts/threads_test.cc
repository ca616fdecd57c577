// Eight threads of one thread-safe PHP on one pool: each is a worker of its own, and gives back
// what it had.
//
// Needs a daemon on OXPOOL_RUNTIME_DIR and the extension OXPOOL_SO, built for the same PHP as this
// program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "embedded_php.h"
#include "zend_exceptions.h"

namespace oxpool::test {

namespace {

constexpr int kThreads = 8;
constexpr int kMax = 3;

// --- what the threads' PHP code tells this program --------------------------------------------

std::atomic<int> alive{0};  // resources, from before they are made until they are gone
std::atomic<int> most_alive{0};
std::atomic<int> uses{0};
std::atomic<int> strangers{0};  // uses by a thread that did not make the resource
std::mutex makers_mutex;
std::set<pid_t> makers;

// Steps that one thread waits for and another takes.
class Steps {
 public:
  void take() {
    const std::lock_guard lock(mutex_);
    ++taken_;
    changed_.notify_all();
  }
  // False when so many were not taken within the watchdog's time.
  bool await(int wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return taken_ >= wanted; });
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    taken_ = 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int taken_ = 0;
};
Steps ready;  // of the threads
Steps go;     // of the test

ZEND_FUNCTION(made) {
  ZEND_PARSE_PARAMETERS_NONE();
  const int now = ++alive;
  int most = most_alive;
  while (now > most && !most_alive.compare_exchange_weak(most, now)) {
  }
  const std::lock_guard lock(makers_mutex);
  makers.insert(gettid());
  RETURN_LONG(gettid());
}

ZEND_FUNCTION(used) {
  zend_long maker;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_LONG(maker)
  ZEND_PARSE_PARAMETERS_END();
  ++uses;
  if (maker != gettid()) ++strangers;
}

ZEND_FUNCTION(gone) {
  ZEND_PARSE_PARAMETERS_NONE();
  --alive;
}

ZEND_FUNCTION(ready) {
  ZEND_PARSE_PARAMETERS_NONE();
  ready.take();
}

ZEND_FUNCTION(await_go) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_BOOL(go.await(1));
}

// Whoever sets the flag makes that thread jump out of the code that it runs, as a time limit does.
std::atomic<zend_atomic_bool*> interrupt_flag{nullptr};
thread_local bool ends_when_interrupted = false;

ZEND_FUNCTION(end_when_interrupted) {
  ZEND_PARSE_PARAMETERS_NONE();
  ends_when_interrupted = true;
  interrupt_flag = &EG(vm_interrupt);
}

void interrupted(zend_execute_data*) {
  if (ends_when_interrupted) zend_bailout();
}

ZEND_BEGIN_ARG_INFO_EX(no_arguments, 0, 0, 0)
ZEND_END_ARG_INFO()
ZEND_BEGIN_ARG_INFO_EX(one_argument, 0, 0, 1)
ZEND_ARG_INFO(0, maker)
ZEND_END_ARG_INFO()

const zend_function_entry functions[] = {
    // clang-format off
    ZEND_FE(made, no_arguments)
    ZEND_FE(used, one_argument)
    ZEND_FE(gone, no_arguments)
    ZEND_FE(end_when_interrupted, no_arguments)
    ZEND_FE(ready, no_arguments)
    ZEND_FE(await_go, no_arguments)
    ZEND_FE_END
    // clang-format on
};

// --- the threads ------------------------------------------------------------------------------

// The class of the resources, and $pool with room for kMax of them.
std::string with_pool(const std::string& code) {
  return "final class Resource {"
         "  public readonly int $maker;"
         "  function __construct() { $this->maker = made(); }"
         "  function __destruct() { gone(); }"
         "}"
         "$pool = new OxPHP\\Shared\\Pool(factory: fn () => new Resource(), maxSize: " +
         std::to_string(kMax) + ", name: 'threads');" + code;
}

// The pool's counts, as a thread that comes and goes sees them.
std::string counts() {
  return run_in_thread(with_pool(
      "$s = $pool->stats();"
      "echo 'in use ', $s->inUse(), ', idle ', $s->idle(), ', waiting ', $s->waiting();"));
}
constexpr const char* kNothing = "in use 0, idle 0, waiting 0";

class ThreadsTest : public testing::TestWithParam<Leaving> {
 protected:
  void SetUp() override {
    alive = most_alive = uses = strangers = 0;
    makers.clear();
    ready.reset();
    go.reset();
    ASSERT_EQ(kNothing, counts());
  }

  // A thread that runs code with $pool and leaves as the parameter says.
  std::thread start(const std::string& code) {
    return std::thread([this, code] {
      const std::string echoed = run_request(with_pool(code), GetParam());
      const std::lock_guard lock(echoed_mutex_);
      echoed_ += echoed;
    });
  }

  std::string echoed() {
    const std::lock_guard lock(echoed_mutex_);
    return echoed_;
  }

 private:
  std::mutex echoed_mutex_;
  std::string echoed_;
};

TEST_P(ThreadsTest, EachUsesItsOwnResourcesAndTheCapHoldsOverAllOfThem) {
  constexpr int kRounds = 400;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.push_back(
        start("ready(); await_go();"
              "for ($i = 0; $i < " +
              std::to_string(kRounds) +
              "; $i++) {"
              "  $pool->with(function (Resource $r) { used($r->maker); if (mt_rand(0, 9) === 0) "
              "usleep(100); });"
              "}"));
  }
  EXPECT_TRUE(ready.await(kThreads));
  go.take();
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ("", echoed());
  EXPECT_EQ(kThreads * kRounds, uses);
  EXPECT_EQ(0, strangers);
  EXPECT_EQ(kThreads, static_cast<int>(makers.size()));
  EXPECT_EQ(kMax, most_alive);
  EXPECT_EQ(0, alive);
  EXPECT_EQ(kNothing, counts());
}

TEST_P(ThreadsTest, AThreadsEndClosesItsIdleResources) {
  std::thread thread = start(
      "$handles = [$pool->acquire(), $pool->acquire()];"
      "$handles = []; ready(); await_go();");
  EXPECT_TRUE(ready.await(1));
  EXPECT_EQ("in use 0, idle 2, waiting 0", counts());
  EXPECT_EQ(2, alive);
  go.take();
  thread.join();

  EXPECT_EQ("", echoed());
  EXPECT_EQ(0, alive);
  EXPECT_EQ(kNothing, counts());
}

TEST_P(ThreadsTest, AThreadsEndServesWhoWaitsForWhatItHeld) {
  std::thread holder = start(
      "$GLOBALS['held'] = [$pool->acquire(), $pool->acquire(), $pool->acquire()];"
      "ready(); await_go();");
  EXPECT_TRUE(ready.await(1));
  std::vector<std::thread> waiting;
  for (int i = 1; i < kThreads; ++i) {
    waiting.push_back(start("$pool->with(fn (Resource $r) => used($r->maker));"));
  }
  while (counts() != "in use 3, idle 0, waiting 7") usleep(1000);
  go.take();
  holder.join();
  for (std::thread& thread : waiting) thread.join();

  EXPECT_EQ("", echoed());
  EXPECT_EQ(kThreads - 1, uses);
  EXPECT_EQ(0, strangers);
  EXPECT_EQ(kMax, most_alive);
  EXPECT_EQ(0, alive);
  EXPECT_EQ(kNothing, counts());
}

TEST_P(ThreadsTest, AThreadThatIsEndedWhileItWaitsLeavesTheQueue) {
  std::thread holder = start(
      "$GLOBALS['held'] = [$pool->acquire(), $pool->acquire(), $pool->acquire()];"
      "ready(); await_go(); $GLOBALS['held'] = [];");
  EXPECT_TRUE(ready.await(1));
  std::thread waiting = start("ready(); end_when_interrupted(); $pool->acquire(); echo 'served';");
  EXPECT_TRUE(ready.await(2));
  while (counts() != "in use 3, idle 0, waiting 1") usleep(1000);
  zend_atomic_bool_store(interrupt_flag, true);
  waiting.join();
  EXPECT_EQ("in use 3, idle 0, waiting 0", counts());
  go.take();
  holder.join();

  EXPECT_EQ("", echoed());
  EXPECT_EQ(kNothing, counts());
}

// The daemon that run.sh starts for this test has room for 31 threads at a time.
TEST_P(ThreadsTest, ManyThreadsOneAfterTheOtherLeaveNothingBehind) {
  constexpr int kMany = 100;
  std::thread onlooker = start("$pool->stats(); ready(); await_go();");  // keeps the attachment
  EXPECT_TRUE(ready.await(1));
  for (int i = 0; i < kMany; ++i) {
    start("$pool->with(fn (Resource $r) => used($r->maker));").join();
  }
  go.take();
  onlooker.join();

  EXPECT_EQ("", echoed());
  EXPECT_EQ(kMany, uses);
  EXPECT_EQ(0, alive);
  EXPECT_EQ(kNothing, counts());
}

INSTANTIATE_TEST_SUITE_P(, ThreadsTest, testing::Values(Leaving::kFreesItself, Leaving::kJustEnds),
                         [](const auto& leaving) {
                           return leaving.param == Leaving::kFreesItself ? "WithTsFreeThread"
                                                                         : "WithoutTsFreeThread";
                         });

}  // namespace

}  // namespace oxpool::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* extension = getenv("OXPOOL_SO");
  const char* runtime_directory = getenv("OXPOOL_RUNTIME_DIR");
  if (extension == nullptr || runtime_directory == nullptr) {
    fprintf(stderr, "set OXPOOL_SO and OXPOOL_RUNTIME_DIR\n");
    return 2;
  }
  const oxpool::test::EmbeddedPhp php(extension, runtime_directory, oxpool::test::functions);
  zend_interrupt_function = oxpool::test::interrupted;
  return RUN_ALL_TESTS();
}
