// Whether the daemon's control group lets it run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace oxpool::daemon {

// Of a control group with a CPU quota: how often the kernel stopped everybody in it because the
// quota of a period was used up.
struct CpuThrottling {
  uint64_t periods = 0;
  uint64_t throttled_periods = 0;
  uint64_t throttled_us = 0;
};

// Of this process's group and those above it, the one that was throttled most. Nothing when none
// has a quota, or there are no control groups. Version 2 and version 1 of control groups.
std::optional<CpuThrottling> read_cpu_throttling(
    const std::string& cgroup_file = "/proc/self/cgroup",
    const std::string& root = "/sys/fs/cgroup");

}  // namespace oxpool::daemon
