#include "tests/hostile/mutations.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "shm/clock.h"
#include "shm/layout.h"
#include "shm/slot_word.h"
#include "shm/wait_word.h"

namespace oxpool::test {

using namespace shm;

namespace {

constexpr uint64_t kWordBytes = sizeof(Word64);
// The fields that are written once and read once come before.
constexpr uint64_t kChangingHeader = offsetof(SegmentHeader, table_lock);

char* base_of(const Victim& victim) { return reinterpret_cast<char*>(&victim.view().header()); }

OwnerId some_lane(const Victim& victim, Random& random) {
  return random.one_in(8) ? OwnerId::make(kDaemonLane, 1 + random.below(4))
                          : victim.lanes()[random.below(victim.lanes().size())];
}

SlotWord some_slot_word(const Victim& victim, Random& random) {
  return SlotWord::make(static_cast<SlotState>(random.below(8)), some_lane(victim, random),
                        static_cast<CloseReason>(random.below(16)));
}

// A word as somebody with a wild pointer would write it, or somebody who means harm.
uint64_t some_word(const Victim& victim, Random& random) {
  switch (random.below(11)) {
    case 0:
      return random.next();
    case 1:
      return random.below(70);
    case 2:
      return ~uint64_t{0};
    case 3:
      return random.below(70) << 32 | random.below(70);
    case 4:
      return uint64_t{kNoIndex} << 32 | random.below(70);
    case 5:  // one that stands elsewhere in the segment
      return reinterpret_cast<const uint64_t*>(
          victim.sound().data())[random.below(victim.sound().size() / kWordBytes)];
    case 6:
      return some_slot_word(victim, random).raw;
    case 7:
      return some_lane(victim, random).raw << 1 | random.below(2);  // a lock of that lane
    case 8:
      return WaitWord::make(static_cast<WaitState>(random.below(4)), random.below(4),
                            static_cast<uint32_t>(random.below(70)))
          .raw;
    case 9:
      return uint64_t{1} << random.below(64);
    default:
      return 0;
  }
}

void store_at(const Victim& victim, uint64_t offset, uint64_t word) {
  reinterpret_cast<Word64*>(base_of(victim) + offset / kWordBytes * kWordBytes)
      ->store(word, std::memory_order_relaxed);
}

struct Span {
  uint64_t offset;
  uint64_t record_bytes;
  uint64_t count;
};

Span table_of(const Victim& victim, uint32_t index) {
  // As it was: what the header says may be damaged already.
  const auto* header = reinterpret_cast<const SegmentHeader*>(victim.sound().data());
  const TableSpan& span = header->tables[index];
  return {span.offset_bytes, span.record_bytes, victim.view().count(TableIndex(index))};
}

// Records that were used are hit more often than the many that were not.
// The daemon's own place seldom: it gives the segment up when that is damaged.
uint64_t some_record(const Victim& victim, uint32_t table, Random& random) {
  const Span span = table_of(victim, table);
  const uint64_t bound = random.one_in(4) ? span.count : std::min<uint64_t>(span.count, 8);
  uint64_t index = random.below(bound);
  if (index == 0 && (table == kProcessTable || table == kLaneTable) && !random.one_in(64))
    index = 1;
  return span.offset + index * span.record_bytes;
}

void flip_bit(const Victim& victim, uint64_t offset, Random& random) {
  reinterpret_cast<Word64*>(base_of(victim) + offset / kWordBytes * kWordBytes)
      ->fetch_xor(uint64_t{1} << random.below(64), std::memory_order_relaxed);
}

uint64_t some_changing_place(const Victim& victim, Random& random) {
  return kChangingHeader + random.below(victim.view().bytes() - kChangingHeader - kWordBytes);
}

void punch_hole(const Victim& victim, Random& random) {
  const uint64_t offset = some_changing_place(victim, random);
  const uint64_t bytes = 1 + random.below(random.one_in(2) ? 16384 : 300);
  fallocate(victim.segment_fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

template <typename Visit>
void for_each_record(const SegmentView& view, TableIndex table, Visit visit) {
  view.header().high_water[table] = view.count(table);
  for (uint32_t i = 0; i < view.count(table); ++i) visit(i);
}

void fill_slots(const Victim& victim, SlotState state, Random& random) {
  const SegmentView& view = victim.view();
  for_each_record(view, kChunkTable, [&](uint32_t i) {
    for (SlotRecord& slot : view.chunk(i)->slots) {
      slot.word = SlotWord::make(state, some_lane(victim, random)).raw;
      slot.changed_ns = 1;
      slot.place = random.next();
    }
  });
}

void live_pools(const Victim& victim) {
  const SegmentView& view = victim.view();
  for_each_record(view, kPoolTable, [&](uint32_t i) {
    PoolRecord& pool = *view.pool(i);
    pool.state = static_cast<uint32_t>(RecordState::kLive);
    pool.id = 1000 + i;
    pool.seats = 1;
    pool.chunk_count = kMaxChunksPerPool;
    for (uint32_t k = 0; k < kMaxChunksPerPool; ++k) pool.chunks[k] = k % view.count(kChunkTable);
    pool.settings.idle_timeout_ms = 1;
    pool.settings.leak_after_ms = 1;
  });
}

// Every lane has a seat, round robin over the pools.
void seat_everybody(const Victim& victim) {
  const SegmentView& view = victim.view();
  for_each_record(view, kSeatTable, [&](uint32_t i) {
    SeatRecord& seat = *view.seat(i);
    const uint32_t pool = i % view.count(kPoolTable);
    const uint32_t lane = 1 + i % (view.count(kLaneTable) - 1);
    seat.state = static_cast<uint32_t>(RecordState::kLive);
    seat.pool = pool;
    seat.pool_id = view.pool(pool)->id.load();
    seat.owner = OwnerId::make(lane, view.lane(lane)->incarnation).raw;
  });
}

// The lanes that `take` says become those of a process that is dead; every lane has a seat.
template <typename Take>
void give_lanes_to_the_dead(const Victim& victim, Take take) {
  const SegmentView& view = victim.view();
  const uint32_t dead = view.count(kProcessTable) - 1;
  for_each_record(view, kLaneTable, [&](uint32_t i) {
    if (i == kDaemonLane || !take(i)) return;
    view.lane(i)->claim = OwnerId::make(dead, 77).raw;
    view.lane(i)->incarnation = 1'000'000 + i;
  });
  seat_everybody(victim);
  view.header().high_water[kProcessTable] = dead + 1;
  view.process(dead)->incarnation = 77;
}

}  // namespace

void mutate(Victim& victim, Random& random) {
  const SegmentView& view = victim.view();
  const auto table = static_cast<uint32_t>(random.below(kTableCount));
  const Span span = table_of(victim, table);
  const uint64_t record = some_record(victim, table, random);
  const auto within = [&] { return random.below(span.record_bytes / kWordBytes) * kWordBytes; };
  switch (random.below(16)) {
    case 0:
      return store_at(victim, some_changing_place(victim, random), some_word(victim, random));
    case 1:
      return flip_bit(victim, some_changing_place(victim, random), random);
    case 2:
    case 3:
      return flip_bit(victim, record + within(), random);
    case 4: {  // locks, numbers to come, high water
      const uint64_t bytes = offsetof(SegmentHeader, broken) - kChangingHeader;
      return store_at(victim, kChangingHeader + random.below(bytes), some_word(victim, random));
    }
    case 5:  // what is read once
      if (!random.one_in(256)) return;
      return store_at(victim, random.below(kChangingHeader), some_word(victim, random));
    case 6: {
      const uint64_t other = some_record(victim, table, random);
      std::memmove(base_of(victim) + record, base_of(victim) + other, span.record_bytes);
      return;
    }
    case 7: {
      const uint64_t word = some_word(victim, random);
      const uint64_t end = span.offset + span.count * span.record_bytes;
      for (uint64_t at = record; at < end && at < record + 4096; at += kWordBytes) {
        store_at(victim, at, word);
      }
      return;
    }
    case 8:
      if (random.one_in(4)) punch_hole(victim, random);
      return;
    case 9: {
      const auto high = static_cast<uint32_t>(some_word(victim, random));
      view.header().high_water[table] = random.one_in(2) ? high : view.count(TableIndex(table));
      return;
    }
    case 10: {
      SlotRecord& slot = view.chunk(static_cast<uint32_t>(random.below(view.count(kChunkTable))))
                             ->slots[random.below(kSlotsPerChunk)];
      slot.word = some_slot_word(victim, random).raw;
      slot.place = view.place(static_cast<uint32_t>(random.below(4)))->hash.load();
      return;
    }
    default:
      return store_at(victim, record + within(), some_word(victim, random));
  }
}

void burden(Victim& victim, Burden what, Random& random) {
  const SegmentView& view = victim.view();
  live_pools(victim);
  const uint64_t held = victim.lanes().back().raw << 1;
  switch (what) {
    case Burden::kEveryPoolListsEveryChunk:
      return fill_slots(victim, SlotState::kInUse, random);
    case Burden::kEveryLockIsHeld:
      view.header().table_lock = held;
      for_each_record(view, kPoolTable, [&](uint32_t i) { view.pool(i)->lock = held; });
      return give_lanes_to_the_dead(victim, [&](uint32_t i) {
        return OwnerId{view.lane(i)->claim}.lane() == 0;  // nobody's
      });
    case Burden::kEveryProcessIsDead:
      for_each_record(view, kProcessTable, [&](uint32_t i) {
        if (i == kDaemonProcess || view.process(i)->incarnation != 0) return;
        view.process(i)->pid = static_cast<uint32_t>(getpid());
        view.process(i)->incarnation = 1 + random.below(1000);
        if (i >= view.count(kLaneTable)) return;
        view.lane(i)->claim = OwnerId::make(i, view.process(i)->incarnation).raw;
      });
      view.header().high_water[kLaneTable] = view.count(kLaneTable);
      return;
    case Burden::kEveryLaneIsTheDead:
      return give_lanes_to_the_dead(victim, [](uint32_t) { return true; });
    case Burden::kIdleBelowTheCap:
      fill_slots(victim, SlotState::kIdle, random);
      for_each_record(view, kPoolTable, [&](uint32_t i) {
        view.pool(i)->settings.max_size = 1;
        view.pool(i)->cap = 2;
        view.pool(i)->lock = OwnerId::make(1, 1).raw << 1;  // of a dead lane: to be repaired
      });
      return;
    case Burden::kEveryPoolChanges:
      for_each_record(view, kPoolTable, [&](uint32_t i) {
        view.pool(i)->id = random.next();
        view.pool(i)->settings.idle_timeout_ms = random.next();
        view.pool(i)->seats = static_cast<uint32_t>(random.below(2));
      });
      view.header().pool_table_version = random.next();
      return;
  }
}

std::string destroy(Victim& victim, Random& random) {
  const auto bytes = static_cast<off_t>(victim.view().bytes());
  const int fd = victim.segment_fd();
  const auto cut_to = [&](off_t size, const std::string& what) {
    if (ftruncate(fd, size) != 0) return std::string("nothing");
    return what;
  };
  switch (random.below(8)) {
    case 0:
      return cut_to(0, "cut to nothing");
    case 1:
      return cut_to(static_cast<off_t>(random.below(static_cast<uint64_t>(bytes))), "cut");
    case 2:
      return cut_to(bytes - 1, "cut by one byte");
    case 3:
      return cut_to(4096, "cut to its first page");
    case 4: {
      const std::string done = cut_to(0, "cut to nothing and lengthened again");
      return ftruncate(fd, bytes) == 0 ? done : "cut to nothing";
    }
    case 5:
      return cut_to(bytes + 12345, "lengthened");
    case 6:
      fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, bytes);
      return "one hole";
    default:
      for (off_t at = 4096; at < bytes; at += 8192) {
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, 4096);
      }
      return "full of holes";
  }
}

}  // namespace oxpool::test
