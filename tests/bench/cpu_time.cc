#include "tests/bench/cpu_time.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace oxpool::bench {

namespace {

int64_t status_kib(pid_t pid, const std::string& key) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    if (word != key) continue;
    int64_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

}  // namespace

int64_t cpu_time_ns(pid_t pid) {
  int64_t total = 0;
  std::error_code ignored;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, ignored)) {
    int64_t running_ns = 0;
    std::ifstream(task.path() / "schedstat") >> running_ns;
    total += running_ns;
  }
  return total;
}

int64_t resident_kib(pid_t pid) { return status_kib(pid, "VmRSS:"); }
int64_t private_kib(pid_t pid) { return status_kib(pid, "RssAnon:"); }

}  // namespace oxpool::bench
