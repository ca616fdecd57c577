// Names that are given, removed and listed; what counts as alive.
#include "shm/registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

class RegistryOf : public test::SegmentHost {
 protected:
  RegistryOf() : worker_(attach()) {}

  uint32_t open(std::string_view name, bool given = true) {
    PoolRequest request;
    request.max_size = 2;
    request.given_name = given;
    TableLock tables(view(), worker_->context(), 0);
    uint32_t index = kNoIndex;
    EXPECT_EQ(PoolResult::kOk, find_or_make_pool(tables, name, request, 1, &index));
    bool disagreed;
    request_settings(*view().pool(index), request, 1, 1, &disagreed);
    return index;
  }
  uint32_t sit(uint32_t pool) {
    TableLock tables(view(), worker_->context(), 0);
    uint32_t seat = kNoIndex;
    EXPECT_EQ(PoolResult::kOk, take_seat(tables, pool, worker_->id(), &seat));
    return seat;
  }
  void leave(uint32_t seat) {
    TableLock tables(view(), worker_->context(), 0);
    leave_seat(tables, seat, 2);
  }
  bool remove(std::string_view name) {
    TableLock tables(view(), worker_->context(), 0);
    return remove_name(tables, name);
  }
  std::vector<std::string> names() {
    TableLock tables(view(), worker_->context(), 0);
    std::vector<std::string> found = given_names(tables);
    std::sort(found.begin(), found.end());
    return found;
  }
  RegistryTotals totals() {
    TableLock tables(view(), worker_->context(), 0);
    return count_registry(tables);
  }
  bool live(uint32_t pool) {
    return view().pool(pool)->state.load() == static_cast<uint32_t>(RecordState::kLive);
  }
  using Names = std::vector<std::string>;

  std::unique_ptr<test::AttachedLane> worker_;
};

TEST_F(RegistryOf, ListsGivenNamesOnly) {
  open("b");
  open("a");
  open("/srv/a.php:3", false);
  EXPECT_EQ((Names{"a", "b"}), names());
  open("/srv/a.php:3", true);  // somebody gives it that name now
  EXPECT_EQ((Names{"/srv/a.php:3", "a", "b"}), names());
  open("a", false);
  EXPECT_EQ(3u, names().size()) << "given once is given";
}

TEST_F(RegistryOf, RemovedNameMakesRoomForAnotherPoolWhileTheOldOneIsUsed) {
  const uint32_t old = open("a");
  const uint32_t seat = sit(old);
  EXPECT_TRUE(remove("a"));
  EXPECT_FALSE(remove("a"));
  EXPECT_EQ(Names{}, names());
  const uint32_t fresh = open("a");
  EXPECT_NE(old, fresh);
  EXPECT_GT(view().pool(fresh)->id.load(), view().pool(old)->id.load());
  EXPECT_TRUE(live(old));
  leave(seat);
  EXPECT_FALSE(live(old)) << "it goes with the last who used it";
  EXPECT_EQ((Names{"a"}), names());
}

TEST_F(RegistryOf, RemovedPoolThatNobodyUsesIsGoneAtOnce) {
  const uint32_t pool = open("a");
  EXPECT_TRUE(remove("a"));
  EXPECT_FALSE(live(pool));
  EXPECT_FALSE(remove("never there"));
}

TEST_F(RegistryOf, CountsWhatIsAttachedOrNamed) {
  open("named");
  const uint32_t automatic = open("/srv/a.php:3", false);
  EXPECT_EQ(1u, totals().pools) << "a record that only waits for its next worker is none";
  const uint64_t before = totals().bytes;
  const uint32_t seat = sit(automatic);
  EXPECT_EQ(2u, totals().pools);
  EXPECT_EQ(before + sizeof(PoolRecord) + sizeof(ChunkRecord) + sizeof(SeatRecord), totals().bytes);
  leave(seat);
  EXPECT_EQ(1u, totals().pools);
}

TEST_F(RegistryOf, UnusedPoolWithoutAGivenNameIsForgotten) {
  const auto forget = [&](uint32_t pool) {
    TableLock tables(view(), worker_->context(), 0);
    remove_if_unused(tables, *view().pool(pool));
  };
  const uint32_t named = open("named");
  const uint32_t attached = open("attached", false);
  const uint32_t used = open("used", false);
  const uint32_t unused = open("unused", false);
  sit(attached);
  const uint32_t seat = sit(used);
  count(*view().seat(seat), Counter::mints);
  leave(seat);
  leave(sit(unused));
  for (const uint32_t pool : {named, attached, used, unused}) forget(pool);
  EXPECT_TRUE(live(named));
  EXPECT_TRUE(live(attached));
  EXPECT_TRUE(live(used)) << "its id and its counts would be missed";
  EXPECT_FALSE(live(unused));
}

}  // namespace
}  // namespace oxpool::shm
