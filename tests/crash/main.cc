// Kills a worker after every single instruction of every operation, buries it, and looks whether
// everything is whole. Prints a table; exit 1 when anything was not.
//   crash_test [OPERATION-SUBSTRING]
//   OXPOOL_CRASH_KILLS=n  about n kills an operation, evenly spread
//   OXPOOL_JUNIT=FILE     one case for each operation
//
// crash_reordered_test is the same of a library with one store in the wrong place, and exits with 0
// when that was found.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "shm/clock.h"
#include "tests/crash/operations.h"
#include "tests/crash/report.h"
#include "tests/crash/traced_child.h"

namespace {

using oxpool::crash::Operation;
using oxpool::crash::Tally;
using oxpool::crash::TracedChild;
using oxpool::crash::Worker;
using oxpool::crash::World;

#ifdef OXPOOL_REORDERED_STORE
constexpr bool kMustFail = true;
#else
constexpr bool kMustFail = false;
#endif

TracedChild start_victim(World& world, const Operation& operation) {
  world.reset();
  operation.arrange(world);
  return TracedChild([&] {
    Worker victim(world.runtime_dir(), "", 0);
    operation.prepare(world, victim);
    OXPOOL_CRASH_MARK();
    operation.act(world, victim);
    OXPOOL_CRASH_MARK();
    _exit(0);
  });
}

// False: the victim took another way than the trace, so a second one was stepped there.
bool kill_before(World& world, const Operation& operation, const std::vector<uint64_t>& trace,
                 size_t k) {
  {
    TracedChild victim = start_victim(world, operation);
    operation.meanwhile(world);
    if (victim.run_to(trace, k)) {
      victim.kill();
      return true;
    }
  }
  TracedChild victim = start_victim(world, operation);
  operation.meanwhile(world);
  victim.step(k);
  victim.kill();
  return false;
}

std::string examine(World& world, const Operation& operation) {
  if (!world.bury_the_dead()) return "burial was not complete";
  if (!operation.kept(world)) return "the next in line was not served";
  return world.check();
}

Tally run(World& world, const Operation& operation, size_t kills) {
  Tally tally{.operation = operation.name};
  std::vector<uint64_t> trace;
  {
    TracedChild victim = start_victim(world, operation);
    operation.meanwhile(world);
    trace = victim.trace();
  }
  tally.instructions = trace.size();
  const size_t stride = std::max<size_t>(trace.size() / kills, 1);
  for (size_t k = stride / 2; k < trace.size(); k += stride) {
    if (!kill_before(world, operation, trace, k)) ++tally.stepped;
    ++tally.kills;
    const std::string wrong = examine(world, operation);
    if (wrong.empty()) continue;
    if (++tally.failures <= 3) {
      std::printf("  %s, killed before instruction %zu: %s\n", operation.name, k, wrong.c_str());
    }
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  const char* few = std::getenv("OXPOOL_CRASH_KILLS");
  const size_t kills = few != nullptr ? std::strtoul(few, nullptr, 10) : SIZE_MAX;
  if (kills == 0) return 2;
  World world;
  Tally total{.operation = "all"};
  std::vector<Tally> tallies;
  oxpool::crash::print_heading();
  for (const Operation& operation : oxpool::crash::operations()) {
    if (argc > 1 && std::strstr(operation.name, argv[1]) == nullptr) continue;
    const Tally tally = run(world, operation, kills);
    oxpool::crash::print_row(tally);
    tallies.push_back(tally);
    total.instructions += tally.instructions;
    total.kills += tally.kills;
    total.stepped += tally.stepped;
    total.failures += tally.failures;
  }
  oxpool::crash::print_row(total);
  if (total.kills == 0) return 2;
  if (const char* report = std::getenv("OXPOOL_JUNIT")) {
    if (!oxpool::crash::write_junit(report, tallies, kMustFail)) return 2;
  }
  if (kMustFail) {
    std::printf("a store in the wrong place was %s\n", total.failures != 0 ? "found" : "NOT found");
  }
  return (total.failures != 0) == kMustFail ? 0 : 1;
}
