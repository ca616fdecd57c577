#include "daemon/leak_watch.h"

#include "logged_lines.h"
#include "segment_fixture.h"
#include "shm/place.h"

namespace oxpool::daemon {
namespace {

using shm::SlotState;

constexpr int64_t kMs = shm::kNanosPerMilli;
constexpr int64_t kStart = 1'000'000 * kMs;

class LeakWatchTest : public SegmentFixture {
 protected:
  LeakWatchTest() : worker(attach(4711)), pool(make_pool("p", worker.lane, 4)) {
    pool.settings.leak_after_ms.store(1000);
  }

  size_t run_at(int64_t ms) { return watch.run(*segment, kStart + ms * kMs); }
  void move(shm::SlotRecord& slot, SlotState from, SlotState to, int64_t at_ms) {
    slot.changed_ns.store(kStart + at_ms * kMs);
    ASSERT_TRUE(shm::slot_move(slot, shm::SlotWord::make(from, worker.lane),
                               shm::SlotWord::make(to, worker.lane)));
  }

  TestWorker worker;
  shm::PoolRecord& pool;
  LoggedLines log;
  LeakWatch watch;
};

TEST_F(LeakWatchTest, ReportsAHoldingOnceItIsTooLongAndOnce) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  slot.place.store(shm::note_place(view(), "/srv/Db.php:41"));
  EXPECT_EQ(0u, run_at(0));
  EXPECT_EQ(0u, run_at(999));
  EXPECT_EQ(0u, log.count("slot leaked"));
  EXPECT_EQ(1u, run_at(1000));
  for (int ms = 1100; ms < 5000; ms += 100) EXPECT_EQ(1u, run_at(ms));
  ASSERT_EQ(1u, log.count("slot leaked"));
  const std::string line = log.line("slot leaked");
  for (const std::string& part :
       {std::string("namespace=\"test\""), std::string("pool=\"p\""), std::string("pid=4711"),
        "worker=4711/" + std::to_string(worker.lane.lane()), std::string("held_ms=1000"),
        std::string("acquired_at=\"/srv/Db.php:41\"")}) {
    EXPECT_NE(std::string::npos, line.find(part)) << part << " in " << line;
  }
}

TEST_F(LeakWatchTest, SaysWhenItCameBackAfterAll) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  run_at(0);
  EXPECT_EQ(1u, run_at(1500));
  move(slot, SlotState::kInUse, SlotState::kIdle, 1550);
  EXPECT_EQ(0u, run_at(1600));
  EXPECT_EQ(1u, log.count("slot returned"));
  EXPECT_NE(std::string::npos, log.line("slot returned").find("held_ms=1550"))
      << log.line("slot returned");
  run_at(1700);
  EXPECT_EQ(1u, log.count("slot returned"));
}

TEST_F(LeakWatchTest, TheNextHoldingOfTheSlotIsAnother) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  run_at(0);
  run_at(1000);
  move(slot, SlotState::kInUse, SlotState::kIdle, 1010);
  move(slot, SlotState::kIdle, SlotState::kInUse, 1020);
  EXPECT_EQ(0u, run_at(1100));
  EXPECT_EQ(1u, log.count("slot returned"));
  EXPECT_EQ(1u, run_at(2020));
  EXPECT_EQ(2u, log.count("slot leaked"));
}

TEST_F(LeakWatchTest, LeavesShortHoldingsAndIdleOnesAlone) {
  make_slot(pool, worker.lane, SlotState::kIdle, kStart);
  auto& busy = make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  for (int ms = 0; ms < 5000; ms += 100) {
    busy.changed_ns.store(kStart + ms * kMs);  // handed out anew each time
    EXPECT_EQ(0u, run_at(ms));
  }
  EXPECT_EQ(0u, log.count("slot"));
}

TEST_F(LeakWatchTest, ZeroMeansNever) {
  pool.settings.leak_after_ms.store(0);
  make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  EXPECT_EQ(0u, run_at(0));
  EXPECT_EQ(0u, run_at(10'000'000));
}

TEST_F(LeakWatchTest, UnknownLineIsCalledSo) {
  make_slot(pool, worker.lane, SlotState::kInUse, kStart);
  run_at(0);
  run_at(1000);
  EXPECT_NE(std::string::npos, log.line("slot leaked").find("acquired_at=\"unknown\""));
}

TEST_F(LeakWatchTest, OneLineOfCodeDoesNotFillTheLog) {
  pool.settings.max_size.store(4);
  std::vector<shm::SlotRecord*> slots;
  for (int i = 0; i < 4; ++i) {
    slots.push_back(&make_slot(pool, worker.lane, SlotState::kInUse, kStart));
    slots.back()->place.store(shm::note_place(view(), "/srv/Db.php:41"));
  }
  for (int round = 0; round < 20; ++round) {
    for (shm::SlotRecord* slot : slots) slot->changed_ns.store(kStart + round * 1100 * kMs);
    run_at(round * 1100);
    run_at(round * 1100 + 1000);
  }
  EXPECT_LT(log.count("slot leaked"), 10u) << "of 80 in 22 s";
  EXPECT_GT(log.count("slot leaked"), 1u);
}

TEST_F(LeakWatchTest, ScribbledRecordsDoNoHarm) {
  auto& slot = make_slot(pool, worker.lane, SlotState::kInUse, INT64_MAX);
  slot.place.store(~uint64_t{0});
  slot.word.store(shm::SlotWord::make(SlotState::kInUse, shm::OwnerId::make(65535, 3)).raw);
  run_at(0);
  slot.changed_ns.store(INT64_MIN);
  EXPECT_EQ(1u, run_at(1000));
  pool.settings.leak_after_ms.store(~uint64_t{0});
  run_at(3000);
  pool.chunk_count.store(UINT32_MAX);
  run_at(5000);
}

// A client that shows the same slots as one pool's and then as another's: what is remembered stays
// within what there can be.
TEST_F(LeakWatchTest, ScribbledPoolsCostNoMoreMemoryThanThereAreSlots) {
  const uint32_t chunks = view().count(shm::kChunkTable);
  for (uint32_t index = 0; index < view().count(shm::kPoolTable); ++index) {
    shm::PoolRecord& scribbled = *view().pool(index);
    scribbled.state = static_cast<uint32_t>(shm::RecordState::kLive);
    scribbled.id = 100 + index;
    scribbled.settings.leak_after_ms = 1;
    scribbled.chunk_count = chunks;
    for (uint32_t i = 0; i < chunks; ++i) {
      scribbled.chunks[i] = i;
      view().chunk(i)->pool = index;
      view().chunk(i)->position = i;
      for (shm::SlotRecord& slot : view().chunk(i)->slots) {
        slot.word = shm::SlotWord::make(SlotState::kInUse, worker.lane).raw;
        slot.changed_ns = 1;
      }
    }
    view().raise_high_water(shm::kPoolTable, index + 1);
    const size_t remembered = run_at(2000 * (index + 1));
    EXPECT_GT(remembered, 0u);
    EXPECT_LE(remembered, size_t{chunks} * shm::kSlotsPerChunk);
    scribbled.state = static_cast<uint32_t>(shm::RecordState::kFree);  // and forgets about it
  }
}

}  // namespace
}  // namespace oxpool::daemon
