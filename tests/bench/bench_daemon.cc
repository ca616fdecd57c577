#include "tests/bench/bench_daemon.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client/acquire.h"
#include "shm/clock.h"

namespace oxpool::bench {

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "oxpool_bench: %s\n", message.c_str());
  std::exit(1);
}

constexpr const char* kConfig = R"(
log_level = "warning"
[limits]
sessions_per_uid = 4000
[pools]
linger_s = 0
)";

std::string config() {
  std::string text = kConfig;
  for (uint32_t i = 0; i < BenchDaemon::kNamespaces; ++i) {
    text += "[namespaces.bench_" + std::to_string(i) + "]\nusers = [" + std::to_string(getuid()) +
            "]\n";
  }
  return text;
}

// One that nobody listens on right now.
uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    fail("no loopback port to be had");
  }
  close(probe);
  return ntohs(address.sin_port);
}

bool answers(const std::string& runtime_dir) {
  ProcessOptions options;
  options.runtime_dir = runtime_dir;
  options.program = "oxpool_bench";
  std::unique_ptr<Process> process;
  return !Process::attach(options, &process);
}

}  // namespace

BenchDaemon& BenchDaemon::instance() {
  static BenchDaemon daemon;
  return daemon;
}

BenchDaemon::BenchDaemon() : owner_(getpid()) {
  char directory[] = "/dev/shm/oxpool-bench-XXXXXX";
  if (mkdtemp(directory) == nullptr) fail("mkdtemp in /dev/shm failed");
  runtime_dir_ = directory;
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "oxpoold";
  const std::string config_file = runtime_dir_ + "/oxpoold.toml";
  std::ofstream(config_file) << config();
  http_port_ = free_port();
  const std::string http = "127.0.0.1:" + std::to_string(http_port_);
  pid_ = fork();
  if (pid_ == 0) {
    execl(program.c_str(), program.c_str(), "--runtime-dir", directory, "--config",
          config_file.c_str(), "--http", http.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const int64_t deadline_ns = shm::monotonic_ns() + 10 * shm::kNanosPerSecond;
  while (!answers(runtime_dir_)) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_ || shm::monotonic_ns() > deadline_ns) {
      fail(program + " did not come up");
    }
    usleep(10'000);
  }
}

BenchDaemon::~BenchDaemon() {
  if (getpid() != owner_) return;  // a forked worker
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(runtime_dir_, ignored);
}

Worker::Worker(const std::string& name, const shm::PoolRequest& request)
    : Worker(std::string(), name, request) {}

Worker::Worker(const std::string& namespace_name, const std::string& name,
               const shm::PoolRequest& request) {
  ProcessOptions options;
  options.namespace_name = namespace_name;
  options.runtime_dir = BenchDaemon::instance().runtime_dir();
  options.program = "oxpool_bench";
  if (Error error = Process::attach(options, &own_process)) fail(error.message);
  open(*own_process, name, request);
}

Worker::Worker(Process& process, const std::string& name, const shm::PoolRequest& request) {
  open(process, name, request);
}

void Worker::open(Process& process, const std::string& name, const shm::PoolRequest& request) {
  if (Error error = Lane::open(process, &lane)) fail(error.message);
  if (Error error = lane->attach_pool(name, request, &pool)) fail(error.message);
}

LocalSlot& acquire_bare(Pool& pool) {
  if (LocalSlot* slot = pool.reuse_idle()) return *slot;
  Acquire acquire(pool, Acquire::kForever, shm::monotonic_ns());
  for (;;) {
    const Acquire::Step step = acquire.step(wait_slice_ns(pool, false));
    switch (step.next) {
      case Next::kReuse:
        return *step.slot;
      case Next::kMint:
        if (!pool.minted(*step.slot, 1000)) fail("fenced");
        return *step.slot;
      case Next::kClose:
        pool.finish_close(*step.slot);
        break;
      case Next::kWait:
        break;
      default:
        fail(acquire.describe(step.next));
    }
  }
}

void release_bare(Pool& pool, LocalSlot& slot) {
  if (pool.release(slot) == Release::kClose) pool.finish_close(slot);
}

}  // namespace oxpool::bench
