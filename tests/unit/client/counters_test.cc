// What a pool's users count, as sum_counters reports it.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "shm/slot.h"
#include "tests/unit/owner_and_waiter.h"
#include "tests/unit/wait_until.h"

namespace oxpool::test {
namespace {

using shm::CloseReason;
using shm::Counter;

class Counters : public OwnerAndWaiter {
 protected:
  shm::CounterSums sums() {
    std::vector<shm::CounterSums> all;
    shm::sum_counters(server_.view(), &all);
    return all.at(0);
  }
  static uint64_t observations(const shm::CounterSums& sums) {
    return std::accumulate(std::begin(sums.wait_buckets), std::end(sums.wait_buckets), uint64_t{0});
  }
  static uint64_t outcomes(const shm::CounterSums& sums) {
    return sums[Counter::acquire_ok] + sums[Counter::acquire_timeout] +
           sums[Counter::acquire_closed];
  }
};

TEST_F(Counters, EveryWayOfBeingServedIsOneObservation) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);         // minted at once
  EXPECT_TRUE(give_back(*owned_, slot));   //
  EXPECT_EQ(&slot, owned_->reuse_idle());  // reused
  EXPECT_EQ(Next::kSaturated, acquire_from(*waited_, 0).next);
  wait_for_it();
  usleep(12'000);
  give_back(*owned_, slot);
  EXPECT_EQ(Next::kMint, run(*wait_, *waited_).next);  // minted after 12 ms
  const shm::CounterSums now = sums();
  EXPECT_EQ(3u, now[Counter::acquire_ok]);
  EXPECT_EQ(1u, now[Counter::acquire_saturated]) << "and no observation";
  EXPECT_EQ(2u, now.wait_buckets[0]);
  EXPECT_EQ(3u, observations(now));
  EXPECT_EQ(2u, now[Counter::mints]);
  EXPECT_EQ(2u, now[Counter::releases]);
  EXPECT_EQ(1u, now[Counter::hand_overs]);
  EXPECT_EQ(2000u, now[Counter::factory_ns]);
  EXPECT_GE(now[Counter::wait_ns], 12u * kMilli);
}

uint64_t releases(const shm::CounterSums& sums) {
  return std::accumulate(std::begin(sums.hold_buckets), std::end(sums.hold_buckets), uint64_t{0});
}

TEST_F(Counters, EveryEndOfAHoldingIsOneObservation) {
  open(pool_of(1));
  LocalSlot& slot = take(*owned_);
  give_back(*owned_, slot);                // short
  EXPECT_EQ(&slot, owned_->reuse_idle());  //
  usleep(60'000);                          // longer than any tick, and than 50 ms
  give_back(*owned_, slot);                //
  EXPECT_EQ(&slot, owned_->reuse_idle());  //
  ASSERT_TRUE(owned_->begin_close(slot, CloseReason::kDiscard));
  owned_->finish_close(slot);
  const shm::CounterSums now = sums();
  EXPECT_EQ(3u, now[Counter::releases]);
  EXPECT_EQ(3u, releases(now));
  uint64_t longer = 0;
  for (int i = shm::hold_bucket(50 * kMilli) + 1; i < shm::kHoldBucketCount; ++i) {
    longer += now.hold_buckets[i];
  }
  EXPECT_GE(longer, 1u);
  EXPECT_GE(now[Counter::hold_ns], 50u * kMilli);
}

TEST_F(Counters, EveryResourceMadeIsOneObservationOfItsFactory) {
  open(pool_of(2));
  take(*owned_);  // its factory took 1 µs
  LocalSlot* ahead = owned_->reserve_ahead(2);
  ASSERT_NE(nullptr, ahead);
  ASSERT_EQ(Release::kKept, owned_->minted_ahead(*ahead, 30 * kMilli));
  const shm::CounterSums now = sums();
  EXPECT_EQ(1u, now.factory_buckets[0]);
  EXPECT_EQ(1u, now.factory_buckets[shm::factory_bucket(30 * kMilli)]);
  EXPECT_EQ(2u, std::accumulate(std::begin(now.factory_buckets), std::end(now.factory_buckets),
                                uint64_t{0}));
}

TEST_F(Counters, RemovedPoolsOperationsAreKept) {
  open(pool_of(1));
  give_back(*owned_, take(*owned_));
  owned_.reset();
  waited_.reset();
  shm::TableLock tables(server_.view(), owner_.lane().lock_context(), shm::kLockPatienceNs);
  ASSERT_TRUE(tables.held());
  ASSERT_TRUE(shm::remove_pool(tables, *server_.view().pool(0)));
  EXPECT_EQ(2u, server_.view().header().operations_removed);
  EXPECT_EQ(1u, server_.view().header().pools_removed);
}

TEST_F(Counters, TimeoutIsAnObservationOfItsWait) {
  open(pool_of(1));
  take(*owned_);
  EXPECT_EQ(Next::kTimeout, acquire_from(*waited_, 30 * kMilli).next);
  const shm::CounterSums now = sums();
  EXPECT_EQ(1u, now[Counter::acquire_timeout]);
  EXPECT_EQ(2u, observations(now));
  EXPECT_EQ(1u, now.wait_buckets[0]);
  EXPECT_EQ(2u, outcomes(now));
}

TEST_F(Counters, FailuresAreNoObservations) {
  open(pool_of(1));
  Acquire failing(*owned_, 0, shm::monotonic_ns());
  owned_->mint_failed(*failing.step(0).slot);
  take(*owned_);
  wait_for_it();
  wait_->interrupt();
  EXPECT_EQ(Next::kDeadlock, acquire_from(*owned_, Acquire::kForever).next);
  const shm::CounterSums now = sums();
  EXPECT_EQ(1u, now[Counter::failed_factory]);
  EXPECT_EQ(1u, now[Counter::failed_interrupted]);
  EXPECT_EQ(1u, now[Counter::failed_deadlock]);
  EXPECT_EQ(1u, observations(now));
  EXPECT_EQ(1u, outcomes(now));
}

TEST_F(Counters, EveryCloseIsCountedOnceWithItsReason) {
  open(pool_of(4));
  LocalSlot& discarded = take(*owned_);
  owned_->begin_close(discarded, CloseReason::kDiscard);
  owned_->finish_close(discarded);
  give_back(*owned_, take(*owned_));
  owned_->finish_close(*owned_->take_idle(CloseReason::kEvict));
  take(*owned_);
  owned_.reset();
  const shm::CounterSums now = sums();
  EXPECT_EQ(1u, now.evicted[static_cast<int>(CloseReason::kDiscard)]);
  EXPECT_EQ(1u, now.evicted[static_cast<int>(CloseReason::kEvict)]);
  EXPECT_EQ(1u, now.evicted[static_cast<int>(CloseReason::kPoolDropped)]);
  EXPECT_EQ(3u, std::accumulate(std::begin(now.evicted), std::end(now.evicted), uint64_t{0}));
}

// Workers that come and go, wait, time out and try: in the end the books balance, and meanwhile
// nothing goes down.
TEST_F(Counters, BooksBalanceUnderLoad) {
  constexpr int kWorkers = 4;
  open(pool_of(2));
  std::atomic<int> running{kWorkers};
  std::atomic<uint64_t> served{0};
  std::atomic<uint64_t> timed_out{0};
  std::atomic<uint64_t> saturated{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kWorkers; ++i) {
    threads.emplace_back([&, i] {
      for (int life = 0; life < 5; ++life) {
        Worker worker(server_.runtime_dir());
        auto pool = worker.open("p", pool_of(2));
        for (int round = 0; round < 60; ++round) {
          const int64_t timeout_ns = (round + i) % 3 == 0 ? 0 : (round % 4) * kMilli / 4 + 1000;
          const Acquire::Step step = acquire_from(*pool, timeout_ns);
          if (step.slot == nullptr) {
            ++(step.next == Next::kTimeout ? timed_out : saturated);
            continue;
          }
          ++served;
          if (round % 7 == 0) usleep(500);
          give_back(*pool, *step.slot);
        }
      }
      --running;
    });
  }
  shm::CounterSums last = sums();
  EXPECT_TRUE(wait_until([&] {
    const shm::CounterSums now = sums();
    for (int i = 0; i < shm::kWaitBucketCount; ++i) {
      EXPECT_LE(last.wait_buckets[i], now.wait_buckets[i]) << "bucket " << i;
    }
    for (int i = 0; i < shm::kCounterCount; ++i) {
      EXPECT_LE(last.counters[i], now.counters[i]) << "counter " << i;
    }
    last = now;
    return running == 0;
  }));
  for (std::thread& thread : threads) thread.join();
  const shm::CounterSums now = sums();
  EXPECT_EQ(served, now[Counter::acquire_ok]);
  EXPECT_EQ(served, now[Counter::releases]);
  EXPECT_EQ(timed_out, now[Counter::acquire_timeout]);
  EXPECT_EQ(saturated, now[Counter::acquire_saturated]);
  EXPECT_EQ(outcomes(now), observations(now));
  EXPECT_EQ(now[Counter::mints],
            std::accumulate(std::begin(now.evicted), std::end(now.evicted), uint64_t{0}))
      << "every resource that was made was closed";
}

}  // namespace
}  // namespace oxpool::test
