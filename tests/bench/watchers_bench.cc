// What watchers of the admin interface cost the daemon.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "oxpool/admin/v1/admin.grpc.pb.h"
#include "shm/clock.h"
#include "tests/bench/bench_daemon.h"
#include "tests/bench/cpu_time.h"

namespace oxpool::bench {
namespace {

namespace v1 = oxpool::admin::v1;

constexpr int kWatchers = 100;
constexpr int kLanes = 1000;
constexpr int64_t kWindowNs = 10 * shm::kNanosPerSecond;

// One connection with one stream, read as it comes.
class Watcher {
 public:
  explicit Watcher(const std::string& target) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = v1::Admin::NewStub(
        grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
    thread_ = std::thread([this] { read(); });
  }
  ~Watcher() {
    context_.TryCancel();
    thread_.join();
  }

  uint64_t snapshots() const { return snapshots_; }

 private:
  void read() {
    const auto stream = stub_->WatchPools(&context_, v1::WatchPoolsRequest());
    v1::PoolsSnapshot snapshot;
    while (stream->Read(&snapshot)) ++snapshots_;
    stream->Finish().IgnoreError();
  }

  std::unique_ptr<v1::Admin::Stub> stub_;
  grpc::ClientContext context_;
  std::atomic<uint64_t> snapshots_{0};
  std::thread thread_;
};

void watchers(benchmark::State& state, int pools) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  const BenchDaemon& daemon = BenchDaemon::instance();
  for (auto _ : state) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < kLanes; ++i) {
      workers.push_back(
          std::make_unique<Worker>("watched_" + std::to_string(i % pools), shm::PoolRequest{}));
    }
    std::vector<std::unique_ptr<Watcher>> all;
    for (int i = 0; i < kWatchers; ++i) {
      all.push_back(std::make_unique<Watcher>("unix:" + daemon.runtime_dir() + "/admin.sock"));
    }
    for (const auto& watcher : all) {
      while (watcher->snapshots() == 0) usleep(1000);
    }
    const auto count = [&] {
      uint64_t snapshots = 0;
      for (const auto& watcher : all) snapshots += watcher->snapshots();
      return snapshots;
    };
    const uint64_t snapshots_before = count();
    const int64_t cpu_before_ns = cpu_time_ns(daemon.pid());
    const int64_t before_ns = shm::monotonic_ns();
    usleep(kWindowNs / 1000);
    const int64_t used_ns = cpu_time_ns(daemon.pid()) - cpu_before_ns;
    const int64_t window_ns = shm::monotonic_ns() - before_ns;
    state.SetIterationTime(static_cast<double>(window_ns) * 1e-9);
    state.counters["core_percent"] =
        100.0 * static_cast<double>(used_ns) / static_cast<double>(window_ns);
    // Of each watcher; about one a second, or the share above is of something else.
    state.counters["snapshots_per_s"] = static_cast<double>(count() - snapshots_before) /
                                        kWatchers / (static_cast<double>(window_ns) * 1e-9);
    state.counters["rss_mib"] = static_cast<double>(resident_kib(daemon.pid())) / 1024;
  }
}
void watchers_20_pools(benchmark::State& state) { watchers(state, 20); }
void watchers_1000_pools(benchmark::State& state) { watchers(state, 1000); }
BENCHMARK(watchers_20_pools)
    ->Name("watchers/100_of_20_pools")
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(watchers_1000_pools)
    ->Name("watchers/100_of_1000_pools")
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oxpool::bench
