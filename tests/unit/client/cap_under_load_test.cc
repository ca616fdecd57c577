// Many processes, one cap: counted by the resources themselves.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>

#include "client/resource_pool.h"
#include "tests/unit/handshake_server.h"

namespace oxpool::test {
namespace {

struct Scoreboard {
  std::atomic<int> open{0};
  std::atomic<int> peak{0};
  std::atomic<int> failures{0};
  std::atomic<bool> stop{false};
  std::atomic<int> uses[64];
};

Scoreboard* shared_scoreboard() {
  void* page =
      mmap(nullptr, sizeof(Scoreboard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (page) Scoreboard;
}

// Counts itself while it exists.
struct Counted {
  explicit Counted(Scoreboard& board) : board(board) {
    const int now = ++board.open;
    int peak = board.peak;
    while (peak < now && !board.peak.compare_exchange_weak(peak, now)) {
    }
    usleep(1000);
  }
  ~Counted() {
    usleep(500);
    --board.open;
  }
  Scoreboard& board;
};

void work(const std::string& runtime_dir, Scoreboard& board, int worker, int max_size) {
  ProcessOptions options;
  options.runtime_dir = runtime_dir;
  std::unique_ptr<Process> process;
  std::unique_ptr<Lane> lane;
  if (Process::attach(options, &process) || Lane::open(*process, &lane)) {
    ++board.failures;
    return;
  }
  shm::PoolRequest request;
  request.max_size = static_cast<uint32_t>(max_size);
  ResourcePool<Counted> pool(*lane, "load", request,
                             [&] { return std::make_unique<Counted>(board); });
  while (!board.stop) {
    auto lease = pool.acquire();
    ++board.uses[worker];
    usleep(200);
  }
}

pid_t start_worker(const std::string& runtime_dir, Scoreboard& board, int worker, int max_size) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  try {
    work(runtime_dir, board, worker, max_size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker %d: %s\n", worker, error.what());
    ++board.failures;
  }
  _exit(0);
}

class CapUnderLoad : public ::testing::TestWithParam<int> {};

TEST_P(CapUnderLoad, PeakReachesAndNeverExceedsTheCap) {
  constexpr int kWorkers = 12;
  HandshakeServer server;
  Scoreboard* board = shared_scoreboard();
  std::vector<pid_t> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.push_back(start_worker(server.runtime_dir(), *board, i, GetParam()));
  }
  sleep(3);
  board->stop = true;
  for (const pid_t pid : workers) {
    int status;
    ASSERT_EQ(pid, waitpid(pid, &status, 0));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(0, board->failures);
  EXPECT_EQ(GetParam(), board->peak);
  EXPECT_EQ(0, board->open);
  for (int i = 0; i < kWorkers; ++i) EXPECT_GT(board->uses[i], 0) << "worker " << i;
}

INSTANTIATE_TEST_SUITE_P(Caps, CapUnderLoad, ::testing::Values(1, 4, 11));

}  // namespace
}  // namespace oxpool::test
