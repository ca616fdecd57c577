// Without a daemon: one budget for a process, its threads and its forks, whoever of them dies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "client/hang_up.h"
#include "client/local_duties.h"
#include "client/resource_pool.h"
#include "shm/lane.h"
#include "tests/unit/local_process.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/shared_page.h"

namespace oxpool::test {
namespace {

// How many have a unit at this moment, and the most that ever had.
struct Meter {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> uses{0};

  void enter() {
    const int now = ++inside;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    ++uses;
  }
  void leave() { --inside; }
};

void use_often(Worker& worker, Meter& meter, int times) {
  auto pool = worker.open("p", pool_of(2));
  for (int i = 0; i < times; ++i) {
    LocalSlot& slot = take(*pool, 30 * kSecond);
    meter.enter();
    std::this_thread::yield();
    meter.leave();
    give_back(*pool, slot);
  }
}

TEST(LocalBudget, ThreadsShareTheCap) {
  EXPECT_EQ(0, in_process([] {
              Worker first(local_options());
              Meter meter;
              std::vector<std::thread> threads;
              for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&] {
                  Worker worker(local_options());
                  use_often(worker, meter, 200);
                });
              }
              for (std::thread& thread : threads) thread.join();
              EXPECT_EQ(800, meter.uses);
              EXPECT_LE(meter.most, 2);
            }));
}

TEST(LocalBudget, ThreadsHaveEveryUnitAtOnce) {
  EXPECT_EQ(0, in_process([] {
              Worker first(local_options());
              auto pool = first.open("p", pool_of(2));
              take(*pool);
              std::thread([] {
                Worker second(local_options());
                auto same = second.open("p", pool_of(2));
                take(*same);
                EXPECT_EQ(2u, same->counts().in_use);
                EXPECT_EQ(Next::kSaturated, acquire_from(*same, 0).next);
              }).join();
              EXPECT_EQ(Next::kMint, acquire_from(*pool, 0).next) << "the other one's ended";
            }));
}

TEST(LocalBudget, LaneOfAProcessThatEndedIsBuriedByTheNext) {
  EXPECT_EQ(0, in_process([] {
              Worker first(local_options());
              auto pool = first.open("p", pool_of(1));
              Worker second(local_options());
              auto same = second.open("p", pool_of(1));
              take(*same);
              // As one that ends while somebody is stopped inside a lock: its record is cleared,
              // its lane and what it had are left.
              const shm::SegmentView& view = first.lane().view();
              shm::clear_process(view, second.process().index());
              EXPECT_TRUE(attend_until(first, [&] { return pool->counts().in_use == 0; }));
              EXPECT_TRUE(attend_until(
                  first, [&] { return view.lane(second.lane().id().lane())->claim == 0; }));
            }));
}

TEST(LocalBudget, ForksShareTheCap) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              SharedPage<Meter> meter;
              std::vector<std::unique_ptr<ChildProcess>> children;
              for (int i = 0; i < 4; ++i) {
                children.push_back(std::make_unique<ChildProcess>([&] {
                  Worker own(local_options());
                  if (own.process().index() == worker.process().index()) return 1;
                  use_often(own, *meter, 200);
                  return 0;
                }));
              }
              use_often(worker, *meter, 200);
              for (auto& child : children) EXPECT_EQ(0, child->wait());
              EXPECT_EQ(1000, meter->uses);
              EXPECT_LE(meter->most, 2);
              auto pool = worker.open("p", pool_of(2));
              EXPECT_TRUE(attend_until(worker, [&] { return pool->counts().idle == 0; }));
              expect_whole(worker.lane().view(), pool->record(), 2);
            }));
}

TEST(LocalBudget, ProcessesThatAreNoForksOfItHaveTheirOwn) {
  const auto saturates_alone = [] {
    Worker worker(local_options());
    auto pool = worker.open("p", pool_of(1));
    take(*pool);
    EXPECT_EQ(1u, pool->counts().in_use);
    EXPECT_EQ(Next::kSaturated, acquire_from(*pool, 0).next);
  };
  EXPECT_EQ(0, in_process([&] {
              EXPECT_EQ(0, in_process(saturates_alone));
              saturates_alone();
            }))
      << "the child was forked before its parent was local";
}

TEST(LocalBudget, ForkedChildLeavesItsParentsPlaceAlone) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              LocalSlot& slot = take(*pool);
              EXPECT_EQ(0, in_process([&] {
                          EXPECT_FALSE(worker.lane().usable());
                          pool.reset();
                          worker.detach();
                          Worker own(local_options());
                          auto same = own.open("p", pool_of(2));
                          EXPECT_EQ(1u, same->counts().in_use);
                          // Long enough for two looks after the dead.
                          const int64_t until_ns = shm::monotonic_ns() + 400 * kMilli;
                          attend_until(own, [&] { return shm::monotonic_ns() >= until_ns; });
                          EXPECT_EQ(1u, same->counts().in_use);
                        }));
              EXPECT_TRUE(worker.lane().still_usable());
              EXPECT_TRUE(give_back(*pool, slot));
            }));
}

// Ends as a killed process does: with what it holds.
ChildProcess dies_holding_all() {
  return ChildProcess([]() -> int {
    Worker worker(local_options());
    auto pool = worker.open("p", pool_of(2));
    take(*pool);
    take(*pool);
    _exit(0);
  });
}

TEST(LocalBudget, DeadChildsUnitsComeToWhoWaits) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              EXPECT_EQ(0, dies_holding_all().wait());
              EXPECT_EQ(Next::kSaturated, acquire_from(*pool, 0).next);
              EXPECT_EQ(Next::kMint, acquire_from(*pool, 30 * kSecond).next);
            }));
}

TEST(LocalBudget, DeadChildsUnitsComeBackAlthoughNobodyWaits) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              EXPECT_EQ(0, dies_holding_all().wait());
              LocalDuties(worker.process().local_host()).run();
              EXPECT_EQ(2u, pool->counts().in_use) << "its sockets may not be closed yet";
              EXPECT_TRUE(attend_until(worker, [&] { return pool->counts().in_use == 0; }));
              expect_whole(worker.lane().view(), pool->record(), 2);
              EXPECT_EQ(1u, pool->record().seats.load()) << "its seat went, too";
            }));
}

TEST(LocalBudget, DeadParentsUnitsComeToItsChild) {
  struct Family {
    std::atomic<bool> holds{false};
    std::atomic<bool> served{false};
  };
  SharedPage<Family> family;
  ChildProcess parent([&] {
    Worker worker(local_options());
    auto pool = worker.open("p", pool_of(2));
    if (fork() == 0) {
      alarm(60);
      wait_until([&] { return family->holds.load(); });
      Worker own(local_options());
      auto same = own.open("p", pool_of(2));
      family->served = acquire_from(*same, 30 * kSecond).next == Next::kMint;
      _exit(0);
    }
    take(*pool);
    take(*pool);
    family->holds = true;
    pause();
    return 0;
  });
  ASSERT_TRUE(wait_until([&] { return family->holds.load(); }));
  parent.kill_and_wait();
  EXPECT_TRUE(wait_until([&] { return family->served.load(); }));
}

TEST(LocalBudget, DeadFillTheTableAndTheNextBuriesThem) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              const uint32_t records = worker.lane().view().count(shm::kProcessTable);
              for (uint32_t i = 0; i < records + 20; ++i) {
                ChildProcess child([]() -> int {
                  Worker own(local_options());
                  own.open("p", pool_of(2));
                  _exit(0);  // without a word
                });
                ASSERT_EQ(0, child.wait()) << i;
              }
              EXPECT_EQ(records, worker.lane().view().high_water(shm::kProcessTable));
              EXPECT_TRUE(attend_until(worker, [&] { return pool->record().seats.load() == 1; }));
            }));
}

TEST(LocalBudget, TableFullOfTheLivingIsAnError) {
  EXPECT_EQ(0, in_process([] {
              std::vector<std::unique_ptr<Process>> processes;
              Error error;
              while (!error) {
                processes.emplace_back();
                error = Process::attach(local_options(), &processes.back());
              }
              EXPECT_EQ(Status::kCapacity, error.status);
              EXPECT_NE(std::string::npos, error.message.find("without oxpoold")) << error.message;
              processes.pop_back();
              processes.pop_back();
              EXPECT_FALSE(attach_error(local_options()));
            }));
}

TEST(LocalBudget, FullTablesSaySoInItsOwnWords) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              std::vector<std::unique_ptr<Pool>> pools;
              Error error;
              while (!error) {
                pools.emplace_back();
                const std::string name = std::to_string(pools.size());
                error = worker.lane().attach_pool(name, pool_of(1), &pools.back());
              }
              EXPECT_EQ(Status::kCapacity, error.status);
              EXPECT_NE(std::string::npos, error.message.find("run oxpoold")) << error.message;
              EXPECT_EQ(std::string::npos, error.message.find("limits.")) << error.message;
              // What nobody uses any more makes room.
              pools.pop_back();
              pools.pop_back();
              EXPECT_FALSE(worker.lane().attach_pool("further", pool_of(1), &pools.back()));
            }));
}

TEST(LocalBudget, IdleTimeoutsAreServedByTheOwner) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              shm::PoolRequest request = pool_of(2);
              request.idle_timeout_ms = 50;
              auto pool = worker.open("p", request);
              give_back(*pool, take(*pool));
              const int64_t idle_since_ns = shm::monotonic_ns();
              EXPECT_TRUE(worker.lane().has_attention()) << "it has duties";
              ASSERT_TRUE(wait_until([&] { return worker.lane().attend(); }));
              EXPECT_GE(shm::monotonic_ns() - idle_since_ns, 40 * kMilli);
              LocalSlot* slot = pool->take_flagged();
              ASSERT_NE(nullptr, slot);
              EXPECT_EQ(shm::CloseReason::kIdleTimeout, slot->closing);
              pool->finish_close(*slot);
              EXPECT_EQ(0u, pool->counts().size());
            }));
}

TEST(LocalBudget, ResourcePoolKeepsIdleTimeoutsToo) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              shm::PoolRequest request = pool_of(2);
              request.idle_timeout_ms = 50;
              int made = 0;
              ResourcePool<int> pool(worker.lane(), "p", request,
                                     [&] { return std::make_unique<int>(++made); });
              pool.acquire();
              EXPECT_EQ(1, *pool.acquire());
              EXPECT_TRUE(wait_until([&] {
                pool.tick();
                return pool.pool().counts().idle == 0;
              }));
              EXPECT_EQ(2, *pool.acquire());
            }));
}

// Killed at any time, many of them: nobody is left waiting and no unit is lost.
TEST(LocalBudget, KilledChildrenLoseNoUnit) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              for (int round = 0; round < 5; ++round) {
                std::vector<std::unique_ptr<ChildProcess>> children;
                SharedPage<Meter> meter;
                for (int i = 0; i < 3; ++i) {
                  children.push_back(std::make_unique<ChildProcess>([&] {
                    Worker own(local_options());
                    auto same = own.open("p", pool_of(2));
                    for (;;) {
                      LocalSlot& slot = take(*same, 30 * kSecond);
                      ++meter->uses;
                      give_back(*same, slot);
                      own.lane().attend();
                    }
                    return 0;
                  }));
                }
                EXPECT_TRUE(wait_until([&] { return meter->uses > 100 * (round + 1); }));
                for (auto& child : children) child->kill_and_wait();
              }
              LocalSlot& one = take(*pool, 30 * kSecond);
              LocalSlot& two = take(*pool, 30 * kSecond);
              give_back(*pool, one);
              give_back(*pool, two);
              EXPECT_TRUE(attend_until(worker, [&] { return pool->record().seats.load() == 1; }));
              expect_whole(worker.lane().view(), pool->record(), 2);
            }));
}

}  // namespace
}  // namespace oxpool::test
