// A unit beyond a lowered cap goes away with its release: nobody may get hold of it in between.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class LoweredCap : public ::testing::Test {
 protected:
  LoweredCap()
      : server_(few()),
        trier_(server_.runtime_dir()),
        holder_(server_.runtime_dir()),
        tried_at_(trier_.open("p", pool_of(2))),
        held_at_(holder_.open("p", pool_of(2))) {}

  void set_cap(uint32_t cap) {
    ASSERT_FALSE(holder_.lane().request_settings(*held_at_, pool_of(cap)));
  }

  HandshakeServer server_;
  Worker trier_;
  Worker holder_;  // began later: of two who disagree, its settings count
  std::unique_ptr<Pool> tried_at_;
  std::unique_ptr<Pool> held_at_;
};

// The unit is freed while the other one, inside the lock, has found nothing to retire and looks for
// something to take. One that gets it has a second connection where the cap is one.
TEST_F(LoweredCap, AcquireWithoutWaitingNeverGetsAUnitBeyondIt) {
  constexpr int kRounds = 3000;
  std::atomic<int> round{0};
  std::atomic<int> tried{0};
  std::atomic<bool> freed{false};
  std::atomic<int> tries{0};
  int beyond = 0;
  std::thread trier([&] {
    for (int i = 1; i <= kRounds; ++i) {
      while (round.load() < i) std::this_thread::yield();
      // Until the unit beyond the cap is gone, and once more.
      for (bool last = false; !last;) {
        last = freed.load();
        const Acquire::Step step = acquire_from(*tried_at_, 0);
        ++tries;
        if (step.slot == nullptr) continue;
        ++beyond;
        if (tried_at_->begin_close(*step.slot, shm::CloseReason::kDiscard)) {
          tried_at_->finish_close(*step.slot);
        }
      }
      tried.store(i);
    }
  });
  for (int i = 1; i <= kRounds; ++i) {
    set_cap(2);
    LocalSlot& stays = take(*held_at_);
    LocalSlot& goes = take(*held_at_);
    set_cap(1);
    EXPECT_EQ(1u, held_at_->record().cap.load());
    freed.store(false);
    const int tries_before = tries.load();
    round.store(i);
    while (tries.load() < tries_before + 1 + i % 7) {
    }
    if (held_at_->begin_close(goes, shm::CloseReason::kDiscard)) held_at_->finish_close(goes);
    freed.store(true);
    while (tried.load() < i) std::this_thread::yield();
    if (held_at_->begin_close(stays, shm::CloseReason::kDiscard)) held_at_->finish_close(stays);
  }
  trier.join();
  EXPECT_EQ(0, beyond) << "of " << kRounds;
}

}  // namespace
}  // namespace oxpool::test
