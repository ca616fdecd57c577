// What a thousand sleepers cost.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "client/acquire.h"
#include "shm/clock.h"
#include "shm/slot.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/cpu_time.h"

namespace oxpool::bench {
namespace {

constexpr uint32_t kLanes = 1000;
constexpr int64_t kWindowNs = 3 * shm::kNanosPerSecond;

void waiting(benchmark::State& state) {
  shm::PoolRequest request;
  request.max_size = 1;
  Worker holder("waiting", request);
  LocalSlot& held = acquire_bare(*holder.pool);
  for (auto _ : state) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kLanes; ++i) {
      threads.emplace_back([&] {
        Worker worker(*holder.own_process, "waiting", request);
        Acquire acquire(*worker.pool, Acquire::kForever, shm::monotonic_ns());
        while (!stop && acquire.step(wait_slice_ns(*worker.pool, false)).next == Next::kWait) {
        }
      });
    }
    while (shm::load_pressure(holder.pool->record()).waiting() < kLanes) usleep(10'000);
    usleep(1'500'000);  // let all of them reach their long slices
    const int64_t cpu_before_ns = cpu_time_ns(getpid());
    const int64_t before_ns = shm::monotonic_ns();
    usleep(kWindowNs / 1000);
    const int64_t used_ns = cpu_time_ns(getpid()) - cpu_before_ns;
    const int64_t window_ns = shm::monotonic_ns() - before_ns;
    state.SetIterationTime(static_cast<double>(window_ns) * 1e-9);
    state.counters["core_percent"] =
        100.0 * static_cast<double>(used_ns) / static_cast<double>(window_ns);
    stop = true;
    for (std::thread& thread : threads) thread.join();
  }
  release_bare(*holder.pool, held);
}
BENCHMARK(waiting)
    ->Name("waiting/1000_lanes")
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oxpool::bench
