// What it costs to be looked at.
#include <benchmark/benchmark.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "shm/clock.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/cpu_time.h"
#include "tests/bench/scraper.h"

namespace oxpool::bench {
namespace {

constexpr uint32_t kPools = 1000;

void use_once(Worker& worker) { release_bare(*worker.pool, acquire_bare(*worker.pool)); }

// `count` lanes, each with a pool of its own, spread over all namespaces.
std::vector<std::unique_ptr<Worker>> make_workers(uint32_t count) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string space = "bench_" + std::to_string(i % BenchDaemon::kNamespaces);
    workers.push_back(
        std::make_unique<Worker>(space, "scraped_" + std::to_string(i), shm::PoolRequest{}));
    use_once(*workers.back());
  }
  return workers;
}

void scrape(benchmark::State& state) {
  const pid_t daemon = BenchDaemon::instance().pid();
  const auto workers = make_workers(kPools);
  Scraper scraper;
  scraper.scrape();
  const int64_t cpu_before_ns = cpu_time_ns(daemon);
  size_t bytes = 0;
  for (auto _ : state) {
    const int64_t before_ns = shm::monotonic_ns();
    bytes = scraper.scrape();
    state.SetIterationTime(static_cast<double>(shm::monotonic_ns() - before_ns) * 1e-9);
  }
  const auto cpu_ns = static_cast<double>(cpu_time_ns(daemon) - cpu_before_ns);
  state.counters["daemon_cpu_ms"] = cpu_ns * 1e-6 / static_cast<double>(state.iterations());
  state.counters["mib"] = static_cast<double>(bytes) / (1 << 20);
}
BENCHMARK(scrape)
    ->Name("scrape/1000_pools_1000_lanes")
    ->UseManualTime()
    ->Iterations(50)
    ->Repetitions(5)
    ->Unit(benchmark::kMillisecond);

// A child that scrapes `per_second` times a second; ended with the object.
class ScrapingProcess {
 public:
  explicit ScrapingProcess(int per_second) : pid_(fork()) {
    if (pid_ != 0) return;
    Scraper scraper;
    for (int64_t next_ns = shm::monotonic_ns();;) {
      scraper.scrape();
      next_ns += shm::kNanosPerSecond / per_second;
      const int64_t left_ns = next_ns - shm::monotonic_ns();
      if (left_ns > 0) usleep(static_cast<useconds_t>(left_ns / 1000));
    }
  }
  ~ScrapingProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

void hot_pairs(benchmark::State& state, int scrapes_per_second) {
  BenchDaemon::instance();
  std::unique_ptr<ScrapingProcess> scraping;
  if (scrapes_per_second != 0) scraping = std::make_unique<ScrapingProcess>(scrapes_per_second);
  const auto workers = make_workers(10);
  Pool& pool = *workers[0]->pool;
  for (auto _ : state) {
    LocalSlot* slot = pool.reuse_idle();
    benchmark::DoNotOptimize(slot);
    pool.release(*slot);
  }
}
BENCHMARK_CAPTURE(hot_pairs, not_scraped, 0)->Name("hot_pair/not_scraped")->Repetitions(9);
BENCHMARK_CAPTURE(hot_pairs, scraped, 100)->Name("hot_pair/scraped")->Repetitions(9);

// Without segments: of those the daemon may touch more pages at any time.
void report_memory(benchmark::State& state) {
  state.counters["private_mib"] =
      static_cast<double>(private_kib(BenchDaemon::instance().pid())) / 1024;
}

// Each goes on from where the one before stopped: the allocator of each thread has to settle first.
void memory_over_scrapes(benchmark::State& state, int more) {
  const auto workers = make_workers(50);
  Scraper scraper;
  for (auto _ : state) {
    for (int i = 0; i < more; ++i) scraper.scrape();
  }
  report_memory(state);
}
BENCHMARK_CAPTURE(memory_over_scrapes, first, 1000)
    ->Name("memory/1000_scrapes")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_over_scrapes, all, 10000)
    ->Name("memory/11000_scrapes")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void memory_over_pools(benchmark::State& state, uint32_t from, uint32_t to) {
  Worker first("over_pools", {});
  Scraper scraper;
  for (auto _ : state) {
    for (uint32_t i = from; i < to; ++i) {
      Worker worker(*first.own_process, "over_pools_" + std::to_string(i), {});
      use_once(worker);
      if (i % 10 == 0) scraper.scrape();
    }
  }
  report_memory(state);
}
BENCHMARK_CAPTURE(memory_over_pools, first, 0, 10000)
    ->Name("memory/10000_pools")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_over_pools, all, 10000, 20000)
    ->Name("memory/20000_pools")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oxpool::bench
