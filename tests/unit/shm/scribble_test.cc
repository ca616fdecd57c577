// A client scribbles on its segment: whatever the daemon does with it, it neither crashes nor
// hangs.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/mutex_inspection.h"
#include "shm/rebalance.h"
#include "shm/repair.h"
#include "shm/ring.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::SegmentHost;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 1500;
#else
constexpr int kRounds = 6000;
#endif

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

class Scribble : public SegmentHost {
 protected:
  Scribble() {
    for (int i = 0; i < 4; ++i) workers_.push_back(attach());
    for (int i = 0; i < 3; ++i) furnish(make_pool("pool " + std::to_string(i), 40, *workers_[i]));
    for (const char* name : {"mutex", "another"}) make_sound_mutex(name);
    const auto* bytes = static_cast<const char*>(segment_.base());
    sound_.assign(bytes, bytes + view().bytes());
    for (int i = 0; i < 2; ++i) workers_[i]->die();
  }

  // Units in all states, and somebody who waits.
  void furnish(PoolRecord& pool) {
    constexpr SlotState kStates[] = {SlotState::kGranted, SlotState::kReserved, SlotState::kInUse,
                                     SlotState::kIdle, SlotState::kClosing};
    uint32_t index;
    int turn = 0;
    while (SlotRecord* slot = reserve(pool, *workers_[turn % 4], &index)) {
      slot->word = SlotWord::make(kStates[turn % 5], workers_[turn % 4]->id()).raw;
      ++turn;
    }
    PoolLock lock(view(), pool, workers_[3]->context(), 0);
    const uint32_t ticket = claim_extra_ticket(view(), workers_[3]->id());
    enqueue(lock, {ticket, workers_[3]->id(), 1, kNoDeadline});
  }

  // Held by one, wanted by two, with a value in units.
  void make_sound_mutex(const std::string& name) {
    uint32_t index = kNoIndex;
    MutexRequest request;
    const std::string initial(600, 'v');
    request.initial = initial;
    TableLock tables(view(), workers_[0]->context(), 0);
    ASSERT_EQ(MutexResult::kOk, find_or_make_mutex(tables, name, request, 1, &index));
    MutexRecord& mutex = *view().mutex(index);
    for (const auto& worker : workers_) {
      uint32_t seat;
      ASSERT_EQ(MutexResult::kOk, take_mutex_seat(tables, index, worker->id(), &seat));
    }
    ASSERT_TRUE(lock_if_open(mutex, workers_[0]->id()));
    for (int i = 1; i < 3; ++i) {
      const uint32_t ticket = workers_[i]->id().lane();
      if (view().ticket(ticket)->queue_mutex != 0) continue;
      join_mutex(view(), mutex, {ticket, workers_[i]->id(), 1, kNoDeadline});
    }
  }

  void restore() { std::memcpy(segment_.base(), sound_.data(), sound_.size()); }

  // A word as somebody who means harm would choose it, or somebody with a wild pointer.
  uint64_t word(Random& random) {
    switch (random.below(7)) {
      case 0:
        return random.next();
      case 1:
        return random.below(12);
      case 2:
        return ~uint64_t{0};
      case 3:
        return random.below(12) << 32 | random.below(12);
      case 4:
        return uint64_t{kNoIndex} << 32 | random.below(64);
      case 5:  // one that stands elsewhere in the segment
        return *reinterpret_cast<const uint64_t*>(&sound_[random.below(sound_.size() / 8) * 8]);
      default:  // a slot of a living lane, in any state, of any reason
        return SlotWord::make(static_cast<SlotState>(random.below(8)),
                              workers_[random.below(4)]->id(),
                              static_cast<CloseReason>(random.below(16)))
            .raw;
    }
  }
  void scribble(Random& random) {
    constexpr uint64_t kHeaderBytes = 256;  // what the view has read and does not read again
    auto* words = reinterpret_cast<Word64*>(static_cast<char*>(segment_.base()) + kHeaderBytes);
    const uint64_t count = (view().bytes() - kHeaderBytes) / 8;
    words[random.below(count)].store(word(random), std::memory_order_relaxed);
  }
  void scribble_on_a_pool(Random& random) {
    auto* words = reinterpret_cast<Word64*>(view().pool(static_cast<uint32_t>(random.below(4))));
    words[random.below(sizeof(PoolRecord) / 8)].store(word(random), std::memory_order_relaxed);
  }

  void scribble_on_a_mutex(Random& random) {
    auto* words = reinterpret_cast<Word64*>(view().mutex(static_cast<uint32_t>(random.below(3))));
    words[random.below(sizeof(MutexRecord) / 8)].store(word(random), std::memory_order_relaxed);
    auto* tickets =
        reinterpret_cast<Word64*>(view().ticket(static_cast<uint32_t>(random.below(8))));
    tickets[random.below(sizeof(TicketRecord) / 8)].store(word(random), std::memory_order_relaxed);
  }

  void look_at_mutexes(Random& random) {
    std::vector<MutexSums> sums;
    sum_mutexes(view(), &sums);
    count_lock_waiters(view());
    EXPECT_LE(used_units(view()), view().count(kUnitTable));
    for_each_live_mutex(view(), [&](MutexRecord& mutex) {
      std::string bytes;
      ValueWord word;
      copy_value(view(), mutex, &bytes, &word, 256);
      EXPECT_LE(mutex_name(mutex).size(), kNameBytes);
      mutex_bytes(view(), mutex, sum_mutex(view(), mutex).seats);
      if (random.below(8) == 0) reset_mutex(mutex);
      if (random.below(8) == 0) look_after_mutex(view(), mutex, daemon().liveness());
    });
    is_last_of_a_ring(view(), daemon().liveness(), static_cast<uint32_t>(random.below(8)));
    if (random.below(8) != 0) return;
    ValueLock values(view(), daemon().context(), 0);
    if (values.held()) rebuild_unit_map(values);
  }

  // Everything that the daemon does with a segment.
  void serve_as_the_daemon_does(Random& random) {
    const LockContext context = daemon().context();
    std::vector<CounterSums> sums;
    sum_counters(view(), &sums);
    look_at_mutexes(random);
    for (uint32_t i = 0; i < view().high_water(kPoolTable); ++i) {
      PoolRecord& pool = *view().pool(i);
      count_pool(view(), pool);
      pool_name(pool);
      flag_needed_last(view(), pool, kNobody, CloseReason::kIdleTimeout, kNoDeadline, coarse_ns(),
                       3);
      for_each_slot(view(), pool, [&](uint32_t, SlotRecord& slot) {
        if (random.below(16) == 0) flag_idle(view(), slot, CloseReason::kEvict);
      });
      PoolLock lock(view(), pool, context, 0);
      if (!lock.held()) continue;
      ++times_inside_;
      serve(lock);
      bury_strays_at_pool(lock);
      repair_pool(lock);
    }
    const auto process = static_cast<uint32_t>(1 + random.below(6));
    bury_process(view(), context, process, view().process(process)->incarnation, 1, 0);
    settle_pressure(view(), *view().pool(static_cast<uint32_t>(random.below(4))), context, 0);
    TableLock tables(view(), context, 0);
    if (!tables.held()) return;
    find_pool(tables, "pool 1");
    for (uint32_t i = 0; i < view().high_water(kPoolTable); ++i) {
      if (random.below(8) == 0) remove_pool(tables, *view().pool(i));
    }
    if (random.below(4) == 0) repair_tables(tables);
    for (uint32_t i = 0; i < view().high_water(kMutexTable); ++i) {
      if (random.below(8) == 0) remove_mutex_name(tables, *view().mutex(i));
    }
    count_seats(tables);
  }

  std::vector<std::unique_ptr<AttachedLane>> workers_;
  std::vector<char> sound_;
  int times_inside_ = 0;
};

TEST_F(Scribble, RandomWordsAnywhere) {
  Random random(1);
  for (int round = 0; round < kRounds; ++round) {
    restore();
    const uint64_t words = 1 + random.below(200);
    for (uint64_t i = 0; i < words; ++i) scribble(random);
    serve_as_the_daemon_does(random);
  }
  EXPECT_GT(times_inside_, kRounds);
}

TEST_F(Scribble, RandomWordsInPoolRecords) {
  Random random(2);
  for (int round = 0; round < kRounds; ++round) {
    restore();
    const uint64_t words = 1 + random.below(60);
    for (uint64_t i = 0; i < words; ++i) scribble_on_a_pool(random);
    for (uint64_t i = 0; i < words; ++i) scribble_on_a_mutex(random);
    serve_as_the_daemon_does(random);
  }
  EXPECT_GT(times_inside_, kRounds);
}

TEST_F(Scribble, DamageThatAddsUp) {
  Random random(3);
  for (int round = 0; round < kRounds; ++round) {
    scribble(random);
    scribble_on_a_pool(random);
    serve_as_the_daemon_does(random);
    if (round % 50 == 0) restore();
  }
  EXPECT_GT(times_inside_, kRounds);
}

TEST_F(Scribble, SegmentFullOfOneWord) {
  Random random(4);
  for (const uint64_t value : {~uint64_t{0}, uint64_t{1}, uint64_t{0x0101010101010101},
                               uint64_t{0x0000000500000005}, workers_[3]->id().raw << 1}) {
    restore();
    auto* words = reinterpret_cast<Word64*>(static_cast<char*>(segment_.base()) + 256);
    for (uint64_t i = 0; i < (view().bytes() - 256) / 8; ++i) words[i].store(value);
    for (int i = 0; i < 20; ++i) serve_as_the_daemon_does(random);
  }
}

#ifndef __SANITIZE_THREAD__  // names are plain bytes: the race is the point
TEST_F(Scribble, WhileTheDaemonIsAtWork) {
  std::atomic<bool> done{false};
  std::thread vandal([&] {
    Random random(5);
    while (!done) {
      scribble(random);
      scribble_on_a_pool(random);
      scribble_on_a_mutex(random);
    }
  });
  Random random(6);
  for (int round = 0; round < kRounds; ++round) {
    if (round % 10 == 0) restore();
    serve_as_the_daemon_does(random);
  }
  done = true;
  vandal.join();
}

// The list of chunks shrinks and grows under the daemon's eyes.
TEST_F(Scribble, ChunkListChangesWhileTheCapIsSettled) {
  PoolRecord& pool = *view().pool(0);
  std::atomic<bool> done{false};
  std::thread vandal([&] {
    while (!done) {
      pool.chunk_count.store(0, std::memory_order_relaxed);
      pool.chunk_count.store(2, std::memory_order_relaxed);
    }
  });
  for (int round = 0; round < 20 * kRounds; ++round) {
    PoolLock lock(view(), pool, daemon().context(), 0);
    ASSERT_TRUE(lock.held());
    pool.settings.max_size = round % 2 == 0 ? 1 : 64;
    for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
      view().chunk(0)->slots[i].word = SlotWord::retired().raw;
    }
    settle_cap(lock);
  }
  done = true;
  vandal.join();
}

class LargeQueue : public SegmentHost {
 protected:
  LargeQueue()
      : SegmentHost({.processes = 4,
                     .lanes = 4,
                     .extra_tickets = 4000,
                     .pools = 1,
                     .seats = 4,
                     .chunks = 1}) {}
};

// The order of arrival changes while repair sorts by it.
TEST_F(LargeQueue, NumbersChangeWhileItIsRebuilt) {
  auto dead = attach();
  PoolRecord& pool = make_pool("p", 1, *dead);
  uint32_t index;
  reserve(pool, *dead, &index);
  dead->die();
  const uint32_t tickets = view().count(kTicketTable);
  view().raise_high_water(kTicketTable, tickets);
  std::atomic<bool> done{false};
  std::thread vandal([&] {
    Random random(7);
    while (!done) {
      view().ticket(static_cast<uint32_t>(random.below(tickets)))->number.store(random.next());
    }
  });
  for (int round = 0; round < kRounds / 10; ++round) {
    for (uint32_t i = 0; i < tickets; ++i) {
      TicketRecord& ticket = *view().ticket(i);
      ticket.owner = daemon().id().raw;
      ticket.queue_pool = 1;
      ticket.wait_word = WaitWord::make(WaitState::kWaiting, 1).raw;
    }
    pool.lock = dead->id().raw << 1;
    PoolLock lock(view(), pool, daemon().context(), 0);
    EXPECT_TRUE(lock.held());
  }
  done = true;
  vandal.join();
}
#endif

}  // namespace
}  // namespace oxpool::shm
