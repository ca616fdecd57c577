// Somebody of another uid, who has a segment of his own and must not reach anybody else's.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace oxpool::test {

inline constexpr uid_t kOutsiderUid = 65534;

// Shared with whoever watches the outsider.
struct OutsiderReport {
  std::atomic<uint64_t> mutations{0};
  std::atomic<uint64_t> connections{0};
  std::atomic<uint64_t> attempts{0};  // to reach what is not his
  std::atomic<uint64_t> reached{0};   // those that went well
  char first_reached[256] = {};
  char problem[512] = {};  // why his own namespace could not be used in the end
};

struct Outsider {
  std::string runtime_dir;
  std::string others_namespace;
  pid_t daemon;
  uint64_t mutations;
  uint64_t seed;
};

// To be run as root in a process of its own: it becomes that user for ever, scribbles on its own
// segment and lock file, sends nonsense, and tries in between all that it can think of. The exit
// code of the process: 0, unless it could not even begin.
int be_outsider(const Outsider& self, OutsiderReport& report);

}  // namespace oxpool::test
