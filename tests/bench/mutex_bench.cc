// One mutex: lock, an 8-byte commit, unlock. Alone, and hammered by several processes.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "client/mutex.h"
#include "shm/clock.h"
#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {
namespace {

constexpr int kMostWorkers = 8;

// A worker with a seat at the mutex.
struct Locker {
  explicit Locker(const char* name) {
    ProcessOptions options;
    options.runtime_dir = BenchDaemon::instance().runtime_dir();
    options.program = "oxpool_bench";
    if (Process::attach(options, &process)) std::abort();
    if (Lane::open(*process, &lane)) std::abort();
    const uint64_t zero = 0;
    shm::MutexRequest request;
    request.initial = {reinterpret_cast<const char*>(&zero), sizeof zero};
    if (lane->attach_mutex(name, request, &mutex)) std::abort();
  }

  std::unique_ptr<Process> process;
  std::unique_ptr<Lane> lane;
  std::unique_ptr<Mutex> mutex;
};

void increment(Mutex& mutex) {
  if (mutex.lock(Mutex::kForever) != Status::kOk) std::abort();
  uint64_t number;
  std::memcpy(&number, mutex.value().bytes.data(), sizeof number);
  ++number;
  if (mutex.commit({reinterpret_cast<const char*>(&number), sizeof number}) != Status::kOk) {
    std::abort();
  }
  mutex.unlock();
}

void alone(benchmark::State& state) {
  Locker locker("mutex_bench_alone");
  for (auto _ : state) increment(*locker.mutex);
}
BENCHMARK(alone)->Name("mutex/alone")->Repetitions(5);

struct Page {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::atomic<bool> stop{false};
  struct alignas(64) Count {
    std::atomic<uint64_t> done{0};
  } counts[kMostWorkers];
};

// So many processes at it for so many seconds of wall time.
void hammer(benchmark::State& state, int workers, double seconds) {
  BenchDaemon::instance();
  for (auto _ : state) {
    void* memory =
        mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* page = new (memory) Page;
    std::vector<pid_t> children;
    for (int worker = 0; worker < workers; ++worker) {
      const pid_t pid = fork();
      if (pid == 0) {
        Locker locker("mutex_bench_hammered");
        ++page->ready;
        while (!page->go) usleep(100);
        uint64_t done = 0;
        while (!page->stop.load(std::memory_order_relaxed)) {
          increment(*locker.mutex);
          page->counts[worker].done.store(++done, std::memory_order_relaxed);
        }
        locker.mutex.reset();
        _exit(0);
      }
      children.push_back(pid);
    }
    while (page->ready != workers) usleep(1000);
    const int64_t started_ns = shm::monotonic_ns();
    page->go = true;
    usleep(static_cast<useconds_t>(seconds * 1e6));
    std::vector<uint64_t> counts;
    for (int i = 0; i < workers; ++i) counts.push_back(page->counts[i].done);
    const auto elapsed_ns = static_cast<double>(shm::monotonic_ns() - started_ns);
    page->stop = true;
    for (const pid_t pid : children) waitpid(pid, nullptr, 0);
    munmap(memory, sizeof(Page));
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ull));
    const auto fewest = static_cast<double>(*std::min_element(counts.begin(), counts.end()));
    state.SetIterationTime(elapsed_ns * 1e-9);
    state.counters["ns_an_increment"] = elapsed_ns / std::max(total, 1.0);
    state.counters["mean_to_fewest"] = total / workers / std::max(fewest, 1.0);
  }
}
void one_worker(benchmark::State& state) { hammer(state, 1, 1); }
void two_workers(benchmark::State& state) { hammer(state, 2, 1); }
void eight_workers(benchmark::State& state) { hammer(state, 8, 5); }
BENCHMARK(one_worker)->Name("mutex/1_worker")->UseManualTime()->Iterations(1)->Repetitions(3);
BENCHMARK(two_workers)->Name("mutex/2_workers")->UseManualTime()->Iterations(1)->Repetitions(3);
BENCHMARK(eight_workers)->Name("mutex/8_workers")->UseManualTime()->Iterations(1);

}  // namespace
}  // namespace oxpool::bench
