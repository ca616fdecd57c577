// Asks a daemon all the time whether its loop goes on, and for everything else that it tells.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace oxpool::test {

// A thread that asks for /healthz ten times a second until the end of the scope, and each time for
// one of the paths that read the segments.
//
// Thread safety: methods from any thread.
class HealthProbe {
 public:
  explicit HealthProbe(uint16_t port);
  ~HealthProbe();
  HealthProbe(const HealthProbe&) = delete;
  HealthProbe& operator=(const HealthProbe&) = delete;

  uint64_t answers() const { return answers_; }
  uint64_t failures() const { return failures_; }  // no answer within 10 s, or another one than 200
  int64_t slowest_ns() const { return slowest_ns_; }
  // What was wrong with an answer that was read from the segments; empty = nothing.
  std::string reading_failure() const;

 private:
  void ask();
  void read();

  const uint16_t port_;
  std::atomic<bool> done_{false};
  std::atomic<uint64_t> answers_{0};
  std::atomic<uint64_t> failures_{0};
  std::atomic<int64_t> slowest_ns_{0};
  uint64_t next_path_ = 0;
  mutable std::mutex lock_;
  std::string reading_failure_;
  std::thread thread_;
};

// One GET; "" when there is no answer in time, else the answer's head and body.
std::string http_get(uint16_t port, const std::string& path, int timeout_s);

}  // namespace oxpool::test
