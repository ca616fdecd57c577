#include "daemon/process_use.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace oxpool::daemon {

namespace {

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// When the program was loaded, which is near enough.
const double started_unix_seconds = unix_seconds();

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessUse process_use() {
  ProcessUse use;
  use.started_unix_seconds = started_unix_seconds;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    use.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  uint64_t size = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> size >> resident) {
    use.resident_bytes = resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  return use;
}

}  // namespace oxpool::daemon
