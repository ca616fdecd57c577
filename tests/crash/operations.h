// The operations that are killed at every instruction: one table.
#pragma once

#include <vector>

#include "tests/crash/world.h"

namespace oxpool::crash {

struct Operation {
  const char* name;
  // Before the victim is born: the pools and the others.
  void (*arrange)(World& world);
  // In the victim, before the first mark and between the marks.
  void (*prepare)(World& world, Worker& victim);
  void (*act)(World& world, Worker& victim);
  // While the victim stands at its first mark.
  void (*meanwhile)(World& world);
  // After its burial: whatever this operation promises beyond what World::check says. True = kept.
  bool (*kept)(World& world);
};

// Those of pools, and what both have in common; then those of mutexes.
const std::vector<Operation>& operations();
std::vector<Operation> mutex_operations();

}  // namespace oxpool::crash
