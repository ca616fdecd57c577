#include "tests/bench/ratio_table.h"

#include <cstdio>
#include <limits>

namespace oxpool::bench {

namespace {

struct Row {
  const char* what;
  const char* benchmark;
  const char* counter;    // "time" or "cpu" = nanoseconds an iteration
  const char* reference;  // another benchmark's same counter, or nullptr: the limit is absolute
  double share;           // of the reference's time
  double limit;           // of the ratio, or of the value
  const char* unit;
};

constexpr Row kRows[] = {
    {"acquire + release, own idle slot / robust pthread lock + unlock", "hot_pair/alone", "cpu",
     "robust_mutex/uncontended", 1.0, 3.0, "ns"},
    {"the same with a second process on the pool / alone", "hot_pair/beside_another_process", "cpu",
     "hot_pair/alone", 1.0, 1.3, "ns"},
    {"hand-over, release in A to granted in B / half a futex ping-pong", "hand_over/patience_0",
     "time", "futex_ping_pong/round_trip", 0.5, 1.5, "ns"},
    {"1,000 lanes waiting on one pool, all together", "waiting/1000_lanes", "core_percent", nullptr,
     1.0, 2.0, "% of a core"},
    {"idle daemon, 1,000 lanes, 200 pools: CPU", "idle_daemon/1000_lanes_200_pools", "core_percent",
     nullptr, 1.0, 0.3, "% of a core"},
    {"idle daemon, 1,000 lanes, 200 pools: RSS", "idle_daemon/1000_lanes_200_pools", "rss_mib",
     nullptr, 1.0, 40.0, "MiB"},
    {"a scrape of 1,000 pools with 1,000 lanes in 8 namespaces", "scrape/1000_pools_1000_lanes",
     "time", nullptr, 1.0, 25e6, "ns"},
    {"the same: CPU of the daemon", "scrape/1000_pools_1000_lanes", "daemon_cpu_ms", nullptr, 1.0,
     25.0, "ms"},
    {"hot pair while scraped 100 times a second / without, 10 pools", "hot_pair/scraped", "cpu",
     "hot_pair/not_scraped", 1.0, 1.05, "ns"},
    {"daemon's own memory after 10,000 more scrapes / after 1,000", "memory/11000_scrapes",
     "private_mib", "memory/1000_scrapes", 1.0, 1.05, "MiB"},
    {"the same after 10,000 more pools made and dropped / after 10,000", "memory/20000_pools",
     "private_mib", "memory/10000_pools", 1.0, 1.05, "MiB"},
    {"100 watchers of 20 pools, once a second: CPU of the daemon", "watchers/100_of_20_pools",
     "core_percent", nullptr, 1.0, 5.0, "% of a core"},
    {"100 watchers of 1,000 pools, 1,000 lanes: CPU of the daemon", "watchers/100_of_1000_pools",
     "core_percent", nullptr, 1.0, 5.0, "% of a core"},
    {"mutex: lock, 8-byte commit, unlock / robust pthread lock + unlock", "mutex/alone", "cpu",
     "robust_mutex/uncontended", 1.0, 3.0, "ns"},
    {"the same, 2 processes at it: an increment of either / of one alone", "mutex/2_workers",
     "ns_an_increment", "mutex/1_worker", 1.0, 2.0, "ns"},
    {"8 processes at it for 5 s: mean of a worker / fewest of a worker", "mutex/8_workers",
     "mean_to_fewest", nullptr, 1.0, 2.0, ""},
    {"attach of a new worker, first acquire", "attach/connect_map_first_acquire", "time", nullptr,
     1.0, 1e6, "ns"},
};

// "hot_pair/alone/repeats:3" and "…/manual_time" are the same benchmark.
std::string base_name(const benchmark::BenchmarkReporter::Run& run) {
  return run.run_name.function_name;
}

}  // namespace

void RatioTable::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
    auto& values = best_[base_name(run)];
    const auto keep = [&](const std::string& counter, double value) {
      const auto [place, is_new] = values.emplace(counter, value);
      if (!is_new && value < place->second) place->second = value;
    };
    const auto iterations = static_cast<double>(run.iterations);
    keep("time", run.real_accumulated_time / iterations * 1e9);
    keep("cpu", run.cpu_accumulated_time / iterations * 1e9);
    for (const auto& [name, counter] : run.counters) keep(name, counter.value);
  }
  ConsoleReporter::ReportRuns(runs);
}

double RatioTable::best(const std::string& name, const std::string& counter) const {
  const auto values = best_.find(name);
  if (values == best_.end()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = values->second.find(counter);
  return value == values->second.end() ? std::numeric_limits<double>::quiet_NaN() : value->second;
}

void RatioTable::print() const {
  std::printf("\n%-68s %12s %12s %8s %10s\n", "what", "measured", "reference", "ratio", "must be");
  for (const Row& row : kRows) {
    const double value = best(row.benchmark, row.counter);
    if (value != value) continue;
    if (row.reference == nullptr) {
      std::printf("%-68s %12.2f %12s %8s %10s %.4g %s %s\n", row.what, value, "", "",
                  "<=", row.limit, row.unit, value <= row.limit ? "ok" : "MISSED");
      continue;
    }
    const double reference = best(row.reference, row.counter) * row.share;
    if (reference != reference) continue;
    const double ratio = value / reference;
    std::printf("%-68s %12.1f %12.1f %8.2f %10s %.4g %s\n", row.what, value, reference, ratio,
                "<=", row.limit, ratio <= row.limit ? "ok" : "MISSED");
  }
}

}  // namespace oxpool::bench
