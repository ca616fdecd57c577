#include <benchmark/benchmark.h>

#include "tests/bench/bench_daemon.h"
#include "tests/bench/ratio_table.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  oxpool::bench::BenchDaemon::instance();
  oxpool::bench::RatioTable table;
  benchmark::RunSpecifiedBenchmarks(&table);
  table.print();
  return 0;
}
