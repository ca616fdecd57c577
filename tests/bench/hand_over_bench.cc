// How long a waiting process takes to have what another one releases.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/slot.h"
#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {
namespace {

constexpr int kRounds = 2000;  // an iteration
constexpr int64_t kFallAsleepNs = 10'000;

struct Shared {
  shm::Word64 turn{0};
  std::atomic<int64_t> released_ns{0};
  std::atomic<bool> one_is_done{false};
  std::atomic<uint32_t> samples{0};
  int64_t sample_ns[2 * kRounds];
  void add(int64_t taken_ns) { sample_ns[samples++] = taken_ns; }
  // In seconds. The median: on a shared machine others' time slices fall into some of the rounds.
  double median() {
    std::nth_element(sample_ns, sample_ns + samples / 2, sample_ns + samples);
    return static_cast<double>(sample_ns[samples / 2]) * 1e-9;
  }
};

Shared* make_shared_page() {
  void* page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (page) Shared;
}

shm::PoolRequest strictly_fifo() {
  shm::PoolRequest request;
  request.max_size = 1;
  request.patience_ms = 0;
  return request;
}

// Two of these hand one unit to and fro. The time from just before a release to just after the
// acquire that it lets through is added up; each release waits until the other one sleeps.
void hand_to_and_fro(Worker& worker, Shared& shared) {
  for (int round = 0; round < kRounds; ++round) {
    LocalSlot& slot = acquire_bare(*worker.pool);
    const int64_t granted_ns = shm::monotonic_ns();
    if (const int64_t released_ns = shared.released_ns.exchange(0); released_ns != 0) {
      shared.add(granted_ns - released_ns);
    }
    const auto other_waits = [&] {
      return shm::load_pressure(worker.pool->record()).waiting() > 0;
    };
    while (!other_waits() && !shared.one_is_done) sched_yield();
    // Who is counted as waiting is not yet asleep.
    for (const int64_t until_ns = shm::monotonic_ns() + kFallAsleepNs;
         shm::monotonic_ns() < until_ns;) {
    }
    if (round == kRounds - 1) shared.one_is_done = true;
    if (other_waits()) shared.released_ns = shm::monotonic_ns();
    release_bare(*worker.pool, slot);
  }
}

void hand_over(benchmark::State& state) {
  BenchDaemon::instance();
  for (auto _ : state) {
    Shared* shared = make_shared_page();
    Worker here("hand_over", strictly_fifo());
    const pid_t other = fork();
    if (other == 0) {
      Worker there("hand_over", strictly_fifo());
      shared->turn = 1;
      hand_to_and_fro(there, *shared);
      // Leaves properly: the unit is free for the next iteration.
      while (LocalSlot* slot = there.pool->take_idle(shm::CloseReason::kPoolDropped)) {
        there.pool->finish_close(*slot);
      }
      _exit(0);
    }
    while (shared->turn == 0) sched_yield();
    hand_to_and_fro(here, *shared);
    waitpid(other, nullptr, 0);
    state.SetIterationTime(shared->median());
    munmap(shared, sizeof(Shared));
  }
}
BENCHMARK(hand_over)
    ->Name("hand_over/patience_0")
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(5)
    ->Unit(benchmark::kMicrosecond);

void wait_for_turn(shm::Word64& turn, uint32_t me, uint32_t other) {
  while (turn.load() != me) shm::futex_wait(turn, other, shm::kNanosPerSecond);
}
void pass_turn(shm::Word64& turn, uint32_t other) {
  turn.store(other);
  shm::futex_wake(turn, 1);
}

void futex_ping_pong(benchmark::State& state) {
  for (auto _ : state) {
    Shared* shared = make_shared_page();
    shared->turn = 1;
    const pid_t other = fork();
    if (other == 0) {
      for (int round = 0; round < kRounds; ++round) {
        wait_for_turn(shared->turn, 2, 1);
        pass_turn(shared->turn, 1);
      }
      _exit(0);
    }
    for (int round = 0; round < kRounds; ++round) {
      const int64_t started_ns = shm::monotonic_ns();
      pass_turn(shared->turn, 2);
      wait_for_turn(shared->turn, 1, 2);
      shared->add(shm::monotonic_ns() - started_ns);
    }
    waitpid(other, nullptr, 0);
    state.SetIterationTime(shared->median());
    munmap(shared, sizeof(Shared));
  }
}
BENCHMARK(futex_ping_pong)
    ->Name("futex_ping_pong/round_trip")
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(5)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace oxpool::bench
