// Acquire and release of an own idle slot. In CPU time: with a second process on a shared machine
// the time that others take away would be most of it.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {
namespace {

void hot_pair(Pool& pool) {
  if (!pool.lane().usable() || pool.lane().has_attention()) std::abort();
  LocalSlot* slot = pool.reuse_idle();
  benchmark::DoNotOptimize(slot);
  pool.release(*slot);
}

void warm_up(Pool& pool) { release_bare(pool, acquire_bare(pool)); }

void alone(benchmark::State& state) {
  Worker worker("hot_pair", {});
  warm_up(*worker.pool);
  for (auto _ : state) hot_pair(*worker.pool);
}
BENCHMARK(alone)->Name("hot_pair/alone")->Repetitions(5);

struct Signals {
  std::atomic<bool> running{false};
  std::atomic<bool> stop{false};
};

Signals* shared_signals() {
  void* page =
      mmap(nullptr, sizeof(Signals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (page) Signals;
}

void beside_another_process(benchmark::State& state) {
  BenchDaemon::instance();
  Signals* signals = shared_signals();
  const pid_t other = fork();
  if (other == 0) {
    Worker worker("hot_pair", {});
    warm_up(*worker.pool);
    signals->running = true;
    while (!signals->stop.load(std::memory_order_relaxed)) hot_pair(*worker.pool);
    _exit(0);
  }
  Worker worker("hot_pair", {});
  warm_up(*worker.pool);
  while (!signals->running) usleep(1000);
  for (auto _ : state) hot_pair(*worker.pool);
  signals->stop = true;
  waitpid(other, nullptr, 0);
  munmap(signals, sizeof(Signals));
}
BENCHMARK(beside_another_process)->Name("hot_pair/beside_another_process")->Repetitions(5);

void robust_mutex(benchmark::State& state) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  for (auto _ : state) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_destroy(&mutex);
}
BENCHMARK(robust_mutex)->Name("robust_mutex/uncontended")->Repetitions(5);

}  // namespace
}  // namespace oxpool::bench
