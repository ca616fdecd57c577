// The value area: who has which units, also when somebody died while that changed.
#include "shm/unit_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shm/burial.h"
#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/rest.h"
#include "shm/value.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

class Units : public test::SegmentHost {
 protected:
  Units() : victim_(attach()), healer_(attach()), a_(make("a")), b_(make("b")) {}

  MutexRecord& make(const std::string& name, size_t bytes = 0) {
    MutexRequest request;
    request.given_name = true;
    const std::string initial(bytes, 'i');
    request.initial = initial;
    uint32_t index = kNoIndex;
    TableLock tables(view(), healer_->context(), 0);
    EXPECT_EQ(MutexResult::kOk, find_or_make_mutex(tables, name, request, 1, &index));
    return *view().mutex(index);
  }
  CommitResult commit(MutexRecord& mutex, size_t units, char letter = 'x') {
    return commit_value(view(), mutex, healer_->context(), std::string(units * kUnitBytes, letter));
  }
  bool replace(MutexRecord& mutex, uint32_t copy, uint32_t units) {
    ValueLock lock(view(), healer_->context(), 0);
    EXPECT_TRUE(lock.held());
    return replace_run(lock, mutex, copy, units);
  }
  UnitRun run(MutexRecord& mutex, uint32_t copy) { return UnitRun::of(mutex.runs[copy]); }
  void die_inside() {
    view().header().value_lock = victim_->id().raw << 1;
    victim_->die();
  }
  void heal() {
    ValueLock lock(view(), healer_->context(), 0);
    ASSERT_TRUE(lock.held());
  }
  void mark(uint32_t unit, bool used) {
    Word64& word = view().unit_map(0)->used[unit / 64];
    const uint64_t bit = uint64_t{1} << unit % 64;
    word = used ? word | bit : word & ~bit;
  }
  // What the records say, unit by unit.
  void expect_one_owner_each() {
    std::vector<int> owners(view().count(kUnitTable));
    uint32_t owned = 0;
    for_each_live_mutex(view(), [&](MutexRecord& mutex) {
      for (uint32_t copy = 0; copy < 2; ++copy) {
        for (uint32_t i = 0; i < run(mutex, copy).units; ++i) {
          ++owners[run(mutex, copy).first + i];
          ++owned;
        }
      }
    });
    for (size_t i = 0; i < owners.size(); ++i) EXPECT_LE(owners[i], 1) << "unit " << i;
    EXPECT_EQ(owned, used_units(view()));
  }
  // Beside what the mutexes have, everything can be had at once.
  void expect_rest_is_free() {
    MutexRecord& rest = make("rest");
    const uint32_t free = view().count(kUnitTable) - used_units(view());
    uint32_t had = 0;
    for (uint32_t copy = 0; copy < 2; ++copy) {
      for (uint32_t units = free; units > 0; --units) {
        if (!replace(rest, copy, units)) continue;
        had += units;
        break;
      }
    }
    EXPECT_LE(had, free);
    expect_one_owner_each();
  }

  std::unique_ptr<test::AttachedLane> victim_;
  std::unique_ptr<test::AttachedLane> healer_;
  MutexRecord& a_;
  MutexRecord& b_;
};

TEST_F(Units, AreTakenAndGivenBack) {
  EXPECT_EQ(0u, used_units(view()));
  EXPECT_TRUE(replace(a_, 0, 10));
  EXPECT_TRUE(replace(b_, 0, 20));
  EXPECT_TRUE(replace(a_, 0, 5));
  EXPECT_TRUE(replace(b_, 1, 5));
  EXPECT_EQ(30u, used_units(view()));
  expect_one_owner_each();
  EXPECT_FALSE(replace(a_, 1, 35)) << "64 in all";
  EXPECT_TRUE(replace(b_, 0, 0));
  EXPECT_TRUE(replace(a_, 1, 50));
  EXPECT_TRUE(replace(a_, 1, 54)) << "where the old one was, and beyond";
  expect_one_owner_each();
  EXPECT_FALSE(replace(a_, 1, 55));
  EXPECT_EQ(54u, run(a_, 1).units) << "refused: it keeps what it has";
  expect_one_owner_each();
}

TEST_F(Units, OfALongValueGoBackWhenItIsShort) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 20));
  ASSERT_EQ(CommitResult::kOk, commit(a_, 20));
  EXPECT_GE(used_units(view()), 40u);
  ASSERT_EQ(CommitResult::kOk, commit_value(view(), a_, healer_->context(), "short"));
  ASSERT_EQ(CommitResult::kOk, commit_value(view(), a_, healer_->context(), "short"));
  EXPECT_EQ(0u, used_units(view()));
}

TEST_F(Units, RoomForTheValueAloneWillDo) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 30));
  ASSERT_EQ(CommitResult::kOk, commit(b_, 30)) << "without anything to spare";
  EXPECT_EQ(CommitResult::kNoUnits, commit(b_, 30));
  EXPECT_EQ(30 * size_t{kUnitBytes}, value_bytes(view(), b_).size());
  expect_one_owner_each();
}

TEST_F(Units, DiedBeforeTheRecordNamedTheRun) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 3));
  mark(10, true);
  mark(11, true);
  die_inside();
  heal();
  expect_one_owner_each();
  expect_rest_is_free();
}

TEST_F(Units, DiedAfterTheRecordNamedTheRun) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 3));
  a_.runs[1 - load_value(a_).copy()] = UnitRun{10, 2}.raw();
  die_inside();
  heal();
  expect_one_owner_each();
  expect_rest_is_free();
  EXPECT_EQ(3 * size_t{kUnitBytes}, value_bytes(view(), a_).size());
}

TEST_F(Units, DiedWhenTheOldRunWasMarkedFree) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 3));
  ASSERT_EQ(CommitResult::kOk, commit(a_, 4));
  const UnitRun spare = run(a_, 1 - load_value(a_).copy());
  for (uint32_t i = 0; i < spare.units; ++i) mark(spare.first + i, false);
  die_inside();
  heal();
  expect_one_owner_each();
}

TEST_F(Units, DiedInTheMiddleOfMakingTheMapAnew) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 3));
  ASSERT_EQ(CommitResult::kOk, commit(b_, 3));
  for (Word64& word : view().unit_map(0)->used) word = 0;
  die_inside();
  heal();
  expect_one_owner_each();
}

TEST_F(Units, LockThatNobodyGivesBackIsNotWaitedForForEver) {
  view().header().value_lock = victim_->id().raw << 1;  // stopped inside, and alive
  EXPECT_EQ(CommitResult::kTimeout, commit(a_, 3));
  EXPECT_EQ(CommitResult::kOk, commit_value(view(), a_, healer_->context(), "short"));
}

TEST_F(Units, DiedWhileAMutexWasMade) {
  MutexRecord& half = make("half", 1000);
  half.state = static_cast<uint32_t>(RecordState::kBuilding);
  view().header().table_lock = victim_->id().raw << 1;
  victim_->die();
  {
    TableLock tables(view(), healer_->context(), 0);
    ASSERT_TRUE(tables.held());
    EXPECT_EQ(kNoIndex, find_mutex(tables, "half"));
  }
  EXPECT_EQ(0u, used_units(view()));
  EXPECT_EQ(static_cast<uint32_t>(RecordState::kFree), half.state);
}

TEST_F(Units, DiedWhileAMutexWasTakenApart) {
  MutexRecord& half = make("half", 1000);
  half.state = static_cast<uint32_t>(RecordState::kRemoving);
  half.runs[1] = 0;
  view().header().table_lock = victim_->id().raw << 1;
  view().header().value_lock = victim_->id().raw << 1;
  victim_->die();
  { TableLock tables(view(), healer_->context(), 0); }
  heal();
  EXPECT_EQ(0u, used_units(view()));
  EXPECT_EQ(&half, &make("another", 1000));
}

TEST_F(Units, DiedBeforeTheMakerSatDown) {
  MutexRequest automatic;
  uint32_t index = kNoIndex;
  {
    TableLock tables(view(), healer_->context(), 0);
    ASSERT_EQ(MutexResult::kOk, find_or_make_mutex(tables, "file:1 mutex", automatic, 1, &index));
  }
  view().header().table_lock = victim_->id().raw << 1;
  victim_->die();
  TableLock tables(view(), healer_->context(), 0);
  EXPECT_EQ(kNoIndex, find_mutex(tables, "file:1 mutex"));
  EXPECT_NE(kNoIndex, find_mutex(tables, "a")) << "a given name stays";
}

TEST_F(Units, DiedWhileASeatWasLeft) {
  uint32_t seat = kNoIndex;
  {
    TableLock tables(view(), healer_->context(), 0);
    ASSERT_EQ(MutexResult::kOk, take_mutex_seat(tables, view().index_of(a_), victim_->id(), &seat));
  }
  MutexSeatRecord& record = *view().mutex_seat(seat);
  record.acquires = 5;
  record.state = static_cast<uint32_t>(RecordState::kRemoving);
  view().header().table_lock = victim_->id().raw << 1;
  victim_->die();
  for (int heal = 0; heal < 2; ++heal) {
    TableLock tables(view(), healer_->context(), 0);
    EXPECT_EQ(0u, a_.seats);
    EXPECT_EQ(5u, a_.folded[a_.fold & 1].acquires) << "once";
    record.state = static_cast<uint32_t>(RecordState::kRemoving);  // folded, and died before free
    record.mutex = view().index_of(a_);
    view().header().table_lock = victim_->id().raw << 1;
  }
}

TEST_F(Units, RemoverThatDiedBeforeItClosedTheMutex) {
  uint32_t seat = kNoIndex;
  {
    TableLock tables(view(), healer_->context(), 0);
    ASSERT_EQ(MutexResult::kOk, take_mutex_seat(tables, view().index_of(a_), healer_->id(), &seat));
  }
  a_.naming = kGivenName | kNameRemoved;
  view().header().table_lock = victim_->id().raw << 1;
  victim_->die();
  { TableLock tables(view(), healer_->context(), 0); }
  EXPECT_TRUE(load_mutex(a_).has(MutexWord::kRemoved));
  TableLock tables(view(), healer_->context(), 0);
  leave_mutex_seat(tables, seat);
  EXPECT_EQ(static_cast<uint32_t>(RecordState::kFree), a_.state);
}

class MutexesAtRest : public Units {
 protected:
  std::string damage() {
    victim_->die();
    healer_->die();
    for (auto* lane : {victim_.get(), healer_.get()}) {
      bury_process(view(), daemon().context(), lane->process(), lane->incarnation(), 7);
    }
    close_lane(view(), daemon().id());
    const OwnerId steward =
        open_lane_at(view(), kDaemonLane, kDaemonProcess, daemon().incarnation(), 1);
    return find_damage_at_rest(view(), {steward, &daemon().liveness()});
  }
};

TEST_F(MutexesAtRest, SoundOnesAreFit) {
  ASSERT_EQ(CommitResult::kOk, commit(a_, 3));
  a_.lock = MutexWord::kCorrupted;
  EXPECT_EQ("", damage());
  EXPECT_EQ(MutexWord::kCorrupted, a_.lock) << "it stays so";
  EXPECT_EQ(3 * size_t{kUnitBytes}, value_bytes(view(), a_).size());
}

TEST_F(MutexesAtRest, OneThatSomebodyHasIsNot) {
  a_.lock = MutexWord{}.with_owner(OwnerId::make(5, 77)).raw;
  EXPECT_NE(std::string::npos, damage().find("mutex"));
}

TEST_F(MutexesAtRest, ValueOutsideIsDamage) {
  a_.value = ValueWord::make(3, 5000, 0).raw;
  EXPECT_NE(std::string::npos, damage().find("value"));
}

TEST_F(MutexesAtRest, TwoInOnePlaceAreDamage) {
  a_.runs[0] = UnitRun{3, 4}.raw();
  b_.runs[0] = UnitRun{5, 4}.raw();
  EXPECT_NE(std::string::npos, damage().find("same place"));
}

TEST_F(MutexesAtRest, NameThatIsNoneIsDamage) {
  a_.name_bytes = 0;
  EXPECT_NE(std::string::npos, damage().find("mutex"));
}

TEST_F(MutexesAtRest, SeatOfNobodyIsDamage) {
  view().mutex_seat(3)->state = static_cast<uint32_t>(RecordState::kLive);
  EXPECT_NE(std::string::npos, damage().find("seats"));
}

}  // namespace
}  // namespace oxpool::shm
