// Collects what the benchmarks measured and prints it against references of the same run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace oxpool::bench {

// Shows results as usual and keeps the best of each benchmark's repetitions: on a shared machine
// the fastest run is the one least disturbed.
class RatioTable : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  // The rows whose benchmarks were run.
  void print() const;

 private:
  double best(const std::string& name, const std::string& counter) const;

  std::map<std::string, std::map<std::string, double>> best_;  // benchmark → counter or "time"
};

}  // namespace oxpool::bench
