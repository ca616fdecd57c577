#include "daemon/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scratch_directory.h"

namespace oxpool::daemon {
namespace {

class CpuQuotaTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = scratch.path() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::optional<CpuThrottling> read() {
    return read_cpu_throttling(scratch.path() + "/cgroup", scratch.path());
  }

  ScratchDirectory scratch;
};

TEST_F(CpuQuotaTest, Version2) {
  write("cgroup", "0::/pods/a\n");
  write("pods/a/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 7\nthrottled_usec 90000\n");
  const auto stat = read();
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->periods, 100u);
  EXPECT_EQ(stat->throttled_periods, 7u);
  EXPECT_EQ(stat->throttled_us, 90'000u);
}

TEST_F(CpuQuotaTest, Version1CountsNanoseconds) {
  write("cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/b\n0::/\n");
  write("cpu,cpuacct/docker/b/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_time 2000000\n");
  const auto stat = read();
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->throttled_us, 2000u);
}

TEST_F(CpuQuotaTest, AQuotaAboveCountsToo) {
  write("cgroup", "0::/pods/a/b\n");
  write("pods/a/b/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  write("pods/cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_usec 50\n");
  ASSERT_TRUE(read());
  EXPECT_EQ(read()->throttled_periods, 2u);
}

TEST_F(CpuQuotaTest, NoQuotaNoGroupsNoFile) {
  EXPECT_FALSE(read());
  write("cgroup", "0::/\n");
  EXPECT_FALSE(read());
  write("cpu.stat", "usage_usec 5\nnr_periods 0\n");
  EXPECT_FALSE(read());
  write("cgroup", "nonsense\n::\n");
  EXPECT_FALSE(read());
}

}  // namespace
}  // namespace oxpool::daemon
