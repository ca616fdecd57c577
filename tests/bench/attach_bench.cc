// A new worker: connect, receive and map the segment, open a lane, find the pool, first acquire.
#include <benchmark/benchmark.h>

#include "shm/clock.h"
#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {
namespace {

void attach(benchmark::State& state) {
  Worker first("attach", {});  // the pool exists: this is the second worker and later ones
  for (auto _ : state) {
    const int64_t started_ns = shm::monotonic_ns();
    Worker worker("attach", {});
    LocalSlot& slot = acquire_bare(*worker.pool);
    state.SetIterationTime(static_cast<double>(shm::monotonic_ns() - started_ns) * 1e-9);
    release_bare(*worker.pool, slot);
    while (LocalSlot* idle = worker.pool->take_idle(shm::CloseReason::kPoolDropped)) {
      worker.pool->finish_close(*idle);
    }
  }
}
BENCHMARK(attach)
    ->Name("attach/connect_map_first_acquire")
    ->UseManualTime()
    ->Iterations(300)
    ->Repetitions(3)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace oxpool::bench
