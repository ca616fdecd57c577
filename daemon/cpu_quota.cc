#include "daemon/cpu_quota.h"

#include <fstream>
#include <sstream>
#include <vector>

namespace oxpool::daemon {

namespace {

constexpr uint64_t kNanosPerMicro = 1000;

std::optional<CpuThrottling> read_stat(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  CpuThrottling stat;
  std::string key;
  uint64_t value = 0;
  while (file >> key >> value) {
    if (key == "nr_periods") stat.periods = value;
    if (key == "nr_throttled") stat.throttled_periods = value;
    if (key == "throttled_usec") stat.throttled_us = value;                   // version 2
    if (key == "throttled_time") stat.throttled_us = value / kNanosPerMicro;  // version 1
  }
  if (stat.periods == 0) return std::nullopt;  // no quota
  return stat;
}

// The folder of this process's group, and those above it, as far as they can be seen.
std::vector<std::string> folders(const std::string& cgroup_file, const std::string& root) {
  std::vector<std::string> found;
  std::ifstream file(cgroup_file);
  std::string line;
  while (std::getline(file, line)) {  // ID:CONTROLLERS:PATH
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version_2 = controllers.empty();
    bool cpu = false;
    std::istringstream each(controllers);
    for (std::string one; std::getline(each, one, ',');) cpu = cpu || one == "cpu";
    if (!version_2 && !cpu) continue;
    const std::string top = version_2 ? root : root + "/" + controllers;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      found.push_back(top + path);
      if (path.find('/') == path.npos) break;
    }
  }
  return found;
}

}  // namespace

std::optional<CpuThrottling> read_cpu_throttling(const std::string& cgroup_file,
                                                 const std::string& root) {
  std::optional<CpuThrottling> most;
  for (const std::string& folder : folders(cgroup_file, root)) {
    const auto stat = read_stat(folder + "/cpu.stat");
    if (stat && (!most || stat->throttled_us > most->throttled_us)) most = stat;
  }
  return most;
}

}  // namespace oxpool::daemon
