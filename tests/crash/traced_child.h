// A forked child that is killed after exactly k instructions of a marked stretch of code.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace oxpool::crash {

// Where a run starts and ends: a trap that the tracer tells from single steps.
#define OXPOOL_CRASH_MARK() __asm__ volatile("int3" ::: "memory")

// Runs `body` in a forked child. It calls OXPOOL_CRASH_MARK() twice; what lies between is the
// operation. x86-64 only (int3, debug registers). One thread.
class TracedChild {
 public:
  // Forks and runs up to the first mark. Ends this program when the child does not get there.
  explicit TracedChild(const std::function<void()>& body);
  ~TracedChild();  // kills it if it still lives
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;

  // Single-steps to the second mark and returns the address of every instruction on the way.
  std::vector<uint64_t> trace();

  // Runs until the k-th instruction of `trace` is next, by a hardware breakpoint and its number of
  // hits. False: the child took another way (a clock, a lock) and reached the second mark first; it
  // stands there.
  bool run_to(const std::vector<uint64_t>& trace, size_t k);

  // Single-steps k instructions, whatever way they go; stops at the second mark.
  void step(size_t k);

  // SIGKILL, and waits until the kernel has closed everything.
  void kill();

 private:
  bool at_mark(int status) const;
  int wait() const;

  pid_t pid_ = -1;
};

}  // namespace oxpool::crash
