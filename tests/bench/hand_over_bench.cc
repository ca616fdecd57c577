// How long a waiting process takes to have what another one releases.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/slot.h"
#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {
namespace {

constexpr int kRounds = 2000;  // an iteration

struct Shared {
  shm::Word64 turn{0};
  std::atomic<int64_t> released_ns{0};
  std::atomic<int64_t> total_ns{0};
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
// acquire that it lets through is added up; the next release waits until the other one sleeps.
void hand_to_and_fro(Worker& worker, Shared& shared, bool first) {
  for (int round = 0; round < kRounds; ++round) {
    LocalSlot& slot = acquire_bare(*worker.pool);
    const int64_t granted_ns = shm::monotonic_ns();
    const int64_t released_ns = shared.released_ns.load();
    if (round > 0 || !first) shared.total_ns += granted_ns - released_ns;
    const bool last = round == kRounds - 1 && !first;
    while (!last && shm::load_pressure(worker.pool->record()).waiting() == 0) sched_yield();
    usleep(20);  // counted as waiting is not yet asleep
    shared.released_ns = shm::monotonic_ns();
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
      hand_to_and_fro(there, *shared, false);
      // Leaves properly: the unit is free for the next iteration.
      while (LocalSlot* slot = there.pool->take_idle(shm::CloseReason::kPoolDropped)) {
        there.pool->finish_close(*slot);
      }
      _exit(0);
    }
    while (shared->turn == 0) sched_yield();
    hand_to_and_fro(here, *shared, true);
    waitpid(other, nullptr, 0);
    state.SetIterationTime(static_cast<double>(shared->total_ns) / (2 * kRounds - 1) * 1e-9);
    munmap(shared, sizeof(Shared));
  }
}
BENCHMARK(hand_over)
    ->Name("hand_over/patience_0")
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(5)
    ->Unit(benchmark::kMicrosecond);

// `me` waits until the word is its number, then passes it on.
void play(shm::Word64& turn, uint32_t me, uint32_t other) {
  for (int round = 0; round < kRounds; ++round) {
    while (turn.load() != me) shm::futex_wait(turn, other, shm::kNanosPerSecond);
    turn.store(other);
    shm::futex_wake(turn, 1);
  }
}

void futex_ping_pong(benchmark::State& state) {
  for (auto _ : state) {
    Shared* shared = make_shared_page();
    shared->turn = 1;
    const pid_t other = fork();
    if (other == 0) {
      play(shared->turn, 2, 1);
      _exit(0);
    }
    const int64_t started_ns = shm::monotonic_ns();
    play(shared->turn, 1, 2);
    waitpid(other, nullptr, 0);
    state.SetIterationTime(static_cast<double>(shm::monotonic_ns() - started_ns) / kRounds * 1e-9);
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
