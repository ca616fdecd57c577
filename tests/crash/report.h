// What a run has to show: a table for people, a JUnit file for the count.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace oxpool::crash {

struct Tally {
  std::string operation;
  size_t instructions = 0;
  size_t kills = 0;
  size_t stepped = 0;   // took another way than the trace: killed after k single steps instead
  size_t failures = 0;  // kills after which not everything was whole
};

void print_heading();
void print_row(const Tally& tally);

// One case for each operation. With `must_fail`, an operation is as expected when it has failures.
bool write_junit(const std::string& path, const std::vector<Tally>& tallies, bool must_fail);

}  // namespace oxpool::crash
