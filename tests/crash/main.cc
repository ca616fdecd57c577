// Kills a worker after every single instruction of every operation, buries it, and looks whether
// everything is whole. Prints a table; exit 1 when anything was not.
//   crash_test [OPERATION-SUBSTRING]
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "shm/clock.h"
#include "tests/crash/operations.h"
#include "tests/crash/traced_child.h"

namespace {

using oxpool::crash::Operation;
using oxpool::crash::TracedChild;
using oxpool::crash::Worker;
using oxpool::crash::World;

struct Tally {
  size_t instructions = 0;
  size_t kills = 0;
  size_t stepped = 0;  // took another way than the trace: killed after k single steps instead
  size_t failures = 0;
};

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

Tally run(World& world, const Operation& operation) {
  Tally tally;
  std::vector<uint64_t> trace;
  {
    TracedChild victim = start_victim(world, operation);
    operation.meanwhile(world);
    trace = victim.trace();
  }
  tally.instructions = trace.size();
  for (size_t k = 0; k < trace.size(); ++k) {
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
  World world;
  Tally total;
  std::printf("%-34s %12s %8s %8s %9s\n", "operation", "instructions", "kills", "stepped",
              "failures");
  for (const Operation& operation : oxpool::crash::operations()) {
    if (argc > 1 && std::strstr(operation.name, argv[1]) == nullptr) continue;
    const Tally tally = run(world, operation);
    std::printf("%-34s %12zu %8zu %8zu %9zu\n", operation.name, tally.instructions, tally.kills,
                tally.stepped, tally.failures);
    std::fflush(stdout);
    total.instructions += tally.instructions;
    total.kills += tally.kills;
    total.stepped += tally.stepped;
    total.failures += tally.failures;
  }
  std::printf("%-34s %12zu %8zu %8zu %9zu\n", "all", total.instructions, total.kills, total.stepped,
              total.failures);
  if (total.kills == 0) return 2;
  return total.failures == 0 ? 0 : 1;
}
