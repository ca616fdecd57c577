// A worker as the client library makes one, and the loop that a caller of it writes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "client/acquire.h"
#include "client/lane.h"
#include "client/mutex.h"
#include "client/pool.h"
#include "client/process.h"
#include "shm/clock.h"
#include "tests/unit/handshake_server.h"

namespace oxpool::test {

inline constexpr int64_t kMilli = shm::kNanosPerMilli;
inline constexpr int64_t kSecond = shm::kNanosPerSecond;

// Tables for a handful of workers.
inline shm::SegmentSizes few() {
  return {.processes = 64,
          .lanes = 64,
          .extra_tickets = 4,
          .pools = 8,
          .seats = 128,
          .chunks = 16,
          .mutexes = 8,
          .mutex_seats = 64,
          .value_bytes = 256 * shm::kUnitBytes};
}

// By default strictly first come, first served, and no waiting for sockets.
inline shm::PoolRequest pool_of(uint32_t max_size, uint32_t patience_ms = 0) {
  shm::PoolRequest request;
  request.max_size = max_size;
  request.patience_ms = patience_ms;
  request.close_wait_ms = 0;
  return request;
}

// One process with one lane; belongs to the thread that makes it.
class Worker {
 public:
  explicit Worker(const std::string& runtime_dir) : Worker(options_of(runtime_dir)) {}
  explicit Worker(const ProcessOptions& options) {
    check(Process::attach(options, &process_));
    check(Lane::open(*process_, &lane_));
  }

  std::unique_ptr<Pool> open(const std::string& name, const shm::PoolRequest& request) {
    std::unique_ptr<Pool> pool;
    check(lane_->attach_pool(name, request, &pool));
    return pool;
  }
  std::unique_ptr<Mutex> open_mutex(const std::string& name,
                                    const shm::MutexRequest& request = {}) {
    std::unique_ptr<Mutex> mutex;
    check(lane_->attach_mutex(name, request, &mutex));
    return mutex;
  }
  Process& process() { return *process_; }
  Lane& lane() { return *lane_; }
  void close_lane() { lane_.reset(); }
  void detach() {
    lane_.reset();
    process_.reset();
  }

 private:
  static ProcessOptions options_of(const std::string& runtime_dir) {
    ProcessOptions options;
    options.runtime_dir = runtime_dir;
    options.program = "worker";
    return options;
  }
  static void check(const Error& error) {
    if (error) throw std::runtime_error(error.message);
  }
  std::unique_ptr<Process> process_;
  std::unique_ptr<Lane> lane_;
};

// Steps until the acquire needs its caller or is over; does what kMint and kClose ask for.
inline Acquire::Step run(Acquire& acquire, Pool& pool, int64_t slice_ns = 20 * kMilli) {
  for (;;) {
    const Acquire::Step step = acquire.step(slice_ns);
    switch (step.next) {
      case Next::kWait:
        break;
      case Next::kClose:
        pool.finish_close(*step.slot);
        break;
      case Next::kMint:
        if (!pool.minted(*step.slot, 1000)) return {Next::kLost};
        return step;
      default:
        return step;
    }
  }
}

// A whole acquire; kMint and kReuse come with the slot in use.
inline Acquire::Step acquire_from(Pool& pool, int64_t timeout_ns) {
  if (pool.lane().usable()) {
    if (LocalSlot* slot = pool.reuse_idle()) return {Next::kReuse, slot};
  }
  Acquire acquire(pool, timeout_ns, shm::monotonic_ns());
  return run(acquire, pool);
}

// The slot of an acquire that has to succeed.
inline LocalSlot& take(Pool& pool, int64_t timeout_ns = 0) {
  const Acquire::Step step = acquire_from(pool, timeout_ns);
  if (step.slot == nullptr) throw std::runtime_error("no slot");
  return *step.slot;
}

// A whole release; true when the slot stayed idle here.
inline bool give_back(Pool& pool, LocalSlot& slot) {
  const Release outcome = pool.release(slot);
  if (outcome == Release::kClose) pool.finish_close(slot);
  return outcome == Release::kKept;
}

}  // namespace oxpool::test
