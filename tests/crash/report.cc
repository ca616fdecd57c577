#include "tests/crash/report.h"

#include <cstdio>

namespace oxpool::crash {

void print_heading() {
  std::printf("%-34s %12s %8s %8s %9s\n", "operation", "instructions", "kills", "stepped",
              "failures");
}

void print_row(const Tally& tally) {
  std::printf("%-34s %12zu %8zu %8zu %9zu\n", tally.operation.c_str(), tally.instructions,
              tally.kills, tally.stepped, tally.failures);
  std::fflush(stdout);
}

bool write_junit(const std::string& path, const std::vector<Tally>& tallies, bool must_fail) {
  FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  std::fprintf(file, "<testsuite name=\"crash\" tests=\"%zu\">\n", tallies.size());
  for (const Tally& tally : tallies) {
    std::fprintf(file, "<testcase classname=\"crash%s\" name=\"%s\">",
                 must_fail ? ".reordered" : "", tally.operation.c_str());
    if ((tally.failures != 0) != must_fail) {
      std::fprintf(file, "<failure message=\"%zu failures in %zu kills\"/>", tally.failures,
                   tally.kills);
    }
    std::fprintf(file, "</testcase>\n");
  }
  std::fprintf(file, "</testsuite>\n");
  return std::fclose(file) == 0;
}

}  // namespace oxpool::crash
