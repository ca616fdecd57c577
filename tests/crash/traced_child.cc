#include "tests/crash/traced_child.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace oxpool::crash {

namespace {

[[noreturn]] void fail(const char* what, int status) {
  std::fprintf(stderr, "crash harness: %s (status %x)\n", what, static_cast<unsigned>(status));
  std::exit(2);
}

void* user_offset(size_t offset) { return reinterpret_cast<void*>(offset); }

}  // namespace

TracedChild::TracedChild(const std::function<void()>& body) {
  pid_ = fork();
  if (pid_ < 0) fail("fork", 0);
  if (pid_ == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(3);
    body();
    _exit(0);
  }
  const int status = wait();
  if (!at_mark(status)) fail("the child did not reach its first mark", status);
}

TracedChild::~TracedChild() {
  if (pid_ > 0) kill();
}

int TracedChild::wait() const {
  int status = 0;
  if (waitpid(pid_, &status, __WALL) != pid_) fail("waitpid", 0);
  return status;
}

bool TracedChild::at_mark(int status) const {
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) return false;
  siginfo_t info;
  if (ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info) != 0) return false;
  return info.si_code ==
         SI_KERNEL;  // int3; a single step or a breakpoint says TRAP_TRACE or TRAP_HWBKPT
}

std::vector<uint64_t> TracedChild::trace() {
  std::vector<uint64_t> addresses;
  for (;;) {
    addresses.push_back(static_cast<uint64_t>(
        ptrace(PTRACE_PEEKUSER, pid_, user_offset(offsetof(user, regs.rip)), nullptr)));
    if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) != 0) fail("singlestep", 0);
    const int status = wait();
    if (!WIFSTOPPED(status)) fail("the child ended while it was traced", status);
    if (at_mark(status)) return addresses;
  }
}

bool TracedChild::run_to(const std::vector<uint64_t>& trace, size_t k) {
  if (k == 0) return true;
  const uint64_t address = trace[k];
  const auto hits =
      std::count(trace.begin() + 1, trace.begin() + static_cast<ptrdiff_t>(k) + 1, address);
  ptrace(PTRACE_POKEUSER, pid_, user_offset(offsetof(user, u_debugreg[0])), address);
  ptrace(PTRACE_POKEUSER, pid_, user_offset(offsetof(user, u_debugreg[7])), 1);
  for (ptrdiff_t i = 0; i < hits; ++i) {
    if (ptrace(PTRACE_CONT, pid_, nullptr, nullptr) != 0) fail("cont", 0);
    const int status = wait();
    if (!WIFSTOPPED(status)) fail("the child ended before its second mark", status);
    if (at_mark(status)) return false;
  }
  return true;
}

void TracedChild::step(size_t k) {
  for (size_t i = 0; i < k; ++i) {
    if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) != 0) fail("singlestep", 0);
    const int status = wait();
    if (!WIFSTOPPED(status)) fail("the child ended while it was stepped", status);
    if (at_mark(status)) return;
  }
}

void TracedChild::kill() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, __WALL);
  pid_ = -1;
}

}  // namespace oxpool::crash
