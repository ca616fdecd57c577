// Processes that have no daemon.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "client/local_host.h"
#include "tests/unit/child_process.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {

inline constexpr const char* kNowhere = "/nonexistent/oxpool";

inline ProcessOptions local_options(const std::string& runtime_dir = kNowhere) {
  ProcessOptions options;
  options.runtime_dir = runtime_dir;
  options.on_unreachable = OnUnreachable::kLocal;
  options.connect_timeout_ms = 30'000;
  return options;
}

// What is local stays so for the life of a process: each test is in one of its own.
inline int in_process(const std::function<void()>& body) {
  ChildProcess child([&] {
    body();
    std::fflush(stdout);
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  return child.wait(100);
}

// A worker does this at every call; here until the condition holds.
inline bool attend_until(Worker& worker, const std::function<bool()>& condition) {
  return wait_until([&] {
    if (worker.lane().has_attention()) worker.lane().attend();
    return condition();
  });
}

inline Error attach_error(const ProcessOptions& options) {
  std::unique_ptr<Process> process;
  return Process::attach(options, &process);
}

}  // namespace oxpool::test
