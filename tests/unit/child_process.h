// A forked process that runs one function.
#pragma once

#include <sys/types.h>

#include <functional>

namespace oxpool::test {

// The child ends with what `body` returns as its exit code, without running anything else of the
// test. Killed and reaped at the end if it still runs.
class ChildProcess {
 public:
  static constexpr int kThrew = 125;     // the body threw: its text is on stderr
  static constexpr int kStillRuns = -1;  // wait() gave up

  explicit ChildProcess(const std::function<int()>& body);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal);
  // The exit code, 128 + signal, or kStillRuns after `watchdog_seconds`.
  int wait(int watchdog_seconds = 30);
  // SIGKILL, and everything of the process is closed when this returns.
  void kill_and_wait();

 private:
  pid_t pid_;
  bool reaped_ = false;
};

}  // namespace oxpool::test
