// The programs in client/examples do what they show.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

std::string output_of(const std::string& command, int* exit_code) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 256> part;
  while (fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  *exit_code = WEXITSTATUS(pclose(pipe));
  return text;
}

class Examples : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string program() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    const std::string here(path, length > 0 ? static_cast<size_t>(length) : 0);
    return here.substr(0, here.rfind('/') + 1) + GetParam();
  }
};

TEST_P(Examples, RunOnOneConnection) {
  HandshakeServer server(few());
  int exit_code = -1;
  const std::string text = output_of(program() + " " + server.runtime_dir(), &exit_code);
  EXPECT_EQ(0, exit_code);
  EXPECT_EQ("query 1 on this connection\nquery 2 on this connection\nquery 3 on this connection\n",
            text);
}

TEST_P(Examples, SayWhatIsWrong) {
  int exit_code = -1;
  const std::string text = output_of(program() + " /dev/shm/nobody-there", &exit_code);
  EXPECT_EQ(1, exit_code);
  EXPECT_NE(std::string::npos, text.find("is oxpoold running")) << text;
}

INSTANTIATE_TEST_SUITE_P(Programs, Examples,
                         ::testing::Values("example_c_worker", "example_cpp_worker"));

}  // namespace
}  // namespace oxpool::test
