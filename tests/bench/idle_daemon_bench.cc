// What the daemon costs while nothing happens.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "shm/clock.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/cpu_time.h"

namespace oxpool::bench {
namespace {

constexpr int kLanes = 1000;
constexpr int kPools = 200;
constexpr int64_t kWindowNs = 12 * shm::kNanosPerSecond;  // two sweeps and more

void idle_daemon(benchmark::State& state) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  const pid_t daemon = BenchDaemon::instance().pid();
  for (auto _ : state) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < kLanes; ++i) {
      workers.push_back(
          std::make_unique<Worker>("idle_" + std::to_string(i % kPools), shm::PoolRequest{}));
      release_bare(*workers.back()->pool, acquire_bare(*workers.back()->pool));
    }
    usleep(1'000'000);
    const int64_t cpu_before_ns = cpu_time_ns(daemon);
    const int64_t before_ns = shm::monotonic_ns();
    usleep(kWindowNs / 1000);
    const int64_t used_ns = cpu_time_ns(daemon) - cpu_before_ns;
    const int64_t window_ns = shm::monotonic_ns() - before_ns;
    state.SetIterationTime(static_cast<double>(window_ns) * 1e-9);
    state.counters["core_percent"] =
        100.0 * static_cast<double>(used_ns) / static_cast<double>(window_ns);
    state.counters["rss_mib"] = static_cast<double>(resident_kib(daemon)) / 1024;
  }
}
BENCHMARK(idle_daemon)
    ->Name("idle_daemon/1000_lanes_200_pools")
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oxpool::bench
