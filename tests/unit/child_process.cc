#include "tests/unit/child_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "tests/unit/wait_until.h"

namespace oxpool::test {

ChildProcess::ChildProcess(const std::function<int()>& body) {
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // not even a test that is killed leaves it behind
  int result = kThrew;
  try {
    result = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  _exit(result);
}

ChildProcess::~ChildProcess() {
  if (!reaped_) kill_and_wait();
}

void ChildProcess::send(int signal) {
  if (!reaped_) kill(pid_, signal);
}

int ChildProcess::wait(int watchdog_seconds) {
  int status = 0;
  const bool ended =
      wait_until([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }, watchdog_seconds);
  if (!ended) return kStillRuns;
  reaped_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::kill_and_wait() {
  send(SIGKILL);
  wait();
}

}  // namespace oxpool::test
