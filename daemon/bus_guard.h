// Keeps the daemon alive when a segment's file is cut short under its mapping.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oxpool::daemon {

// Whoever has a segment's descriptor can truncate it; touching a page beyond the new end is then a
// SIGBUS. The guard's handler puts zeroed private memory in the place of the whole mapping, so that
// the interrupted walk goes on over an empty segment and soon ends, and remembers that it did.
//
// Thread safety: watch and unwatch from one thread at a time; the handler runs on any.
class BusGuard {
 public:
  static constexpr uint32_t kCapacity = 1024;
  static constexpr int kNone = -1;

  // Once, before the first watch. A SIGBUS elsewhere ends the program as before.
  static void install();

  // Watches the mapping; returns its number, or kNone when kCapacity mappings are watched.
  static int watch(void* base, size_t bytes);
  // Before the mapping is unmapped. kNone is fine.
  static void unwatch(int number);
  // Whether the mapping was replaced.
  static bool was_hit(int number);
};

}  // namespace oxpool::daemon
