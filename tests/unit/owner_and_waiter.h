// Two workers at one pool: one that has units, one that waits for them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/unit/worker.h"

namespace oxpool::test {

inline constexpr int64_t kFactoryNs = 50 * kMilli;  // dear: the owner would rather keep its slot

class OwnerAndWaiter : public ::testing::Test {
 protected:
  OwnerAndWaiter()
      : server_(few()), owner_(server_.runtime_dir()), waiter_(server_.runtime_dir()) {}

  void open(const shm::PoolRequest& request) {
    owned_ = owner_.open("p", request);
    waited_ = waiter_.open("p", request);
  }
  void wait_for_it(int64_t timeout_ns = 60 * kSecond) {
    wait_.emplace(*waited_, timeout_ns, shm::monotonic_ns());
    ASSERT_EQ(Next::kWait, wait_->step(0).next);
  }
  // The owner's loop: it needs its slot again at once, and minting takes long.
  LocalSlot& busy_owner() {
    LocalSlot& slot = take(*owned_);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(give_back(*owned_, slot));
      EXPECT_EQ(&slot, owned_->reuse_idle());
    }
    owned_->record().factory_mean_ns = kFactoryNs;
    return slot;
  }
  uint64_t counted(Pool& pool, shm::Counter counter) {
    return pool.seat().counts.counters[static_cast<int>(counter)];
  }

  HandshakeServer server_;
  Worker owner_;
  Worker waiter_;
  std::unique_ptr<Pool> owned_;
  std::unique_ptr<Pool> waited_;
  std::optional<Acquire> wait_;
};

}  // namespace oxpool::test
