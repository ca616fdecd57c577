#include "tests/hostile/daemon_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/unit/wait_until.h"

namespace oxpool::test {

namespace {

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

DaemonProcess::DaemonProcess(const std::string& binary, const std::string& config) {
  std::ofstream(directory_.file("oxpoold.toml")) << config;
  // Other users may come, too.
  mkdir(runtime_dir().c_str(), 0755);
  chmod(directory_.path().c_str(), 0755);
  const std::string log_path = directory_.file("log");
  const std::string config_path = directory_.file("oxpoold.toml");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDERR_FILENO);
    // Freed memory is kept for a while to find its late users; not so much that it hides a leak.
    setenv("ASAN_OPTIONS", "quarantine_size_mb=8:detect_leaks=0:handle_abort=1", 1);
    setenv("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1", 1);
    execl(binary.c_str(), binary.c_str(), "--runtime-dir", runtime_dir().c_str(), "--config",
          config_path.c_str(), "--http", "127.0.0.1:0", nullptr);
    _exit(127);
  }
  if (!wait_until([this] { return !running() || read_port(); }) || !running()) {
    throw std::runtime_error(binary + " did not get ready:\n" + log());
  }
}

DaemonProcess::~DaemonProcess() {
  if (running()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
}

// The line that says "ready" names the port.
bool DaemonProcess::read_port() {
  const std::string text = log();
  const std::string before = "http=127.0.0.1:";
  const size_t at = text.find(before);
  if (at == std::string::npos || text.find('\n', at) == std::string::npos) return false;
  http_port_ = static_cast<uint16_t>(std::stoul(text.substr(at + before.size())));
  return true;
}

bool DaemonProcess::running() {
  if (!reaped_) reaped_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !reaped_;
}

int DaemonProcess::stop() {
  if (running()) kill(pid_, SIGTERM);
  return wait_until([this] { return !running(); }) ? exit_code_of(status_) : -1;
}

uint64_t DaemonProcess::own_bytes() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssAnon:", 0) == 0) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

size_t DaemonProcess::open_descriptors() const {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid_) + "/fd", error);
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

std::string DaemonProcess::log() const { return contents_of(directory_.file("log")); }

}  // namespace oxpool::test
