// Who has what and who waits, as people who look from outside see it.
#include "shm/inspection.h"

#include <gtest/gtest.h>

#include "shm/place.h"
#include "tests/unit/owner_and_waiter.h"

namespace oxpool::test {
namespace {

using shm::SlotState;

class Inspection : public OwnerAndWaiter {
 protected:
  Inspection() { open(pool_of(3)); }
  std::vector<shm::Holding> holdings() {
    return shm::list_holdings(owner_.lane().view(), owned_->record(), now_ns());
  }
  std::vector<shm::Waiting> waiting() {
    return shm::list_waiting(owner_.lane().view(), owned_->record(), now_ns());
  }
  int64_t now_ns() { return owner_.process().shared_monotonic_ns(); }
};

TEST_F(Inspection, HoldingSaysWhoSinceWhenAndFromWhichLine) {
  LocalSlot& slot = take(*owned_);
  owned_->note_place(slot, shm::note_place(owner_.lane().view(), "/srv/shop.php:12"));
  take(*waited_);
  const auto all = holdings();
  ASSERT_EQ(2u, all.size());
  EXPECT_EQ(slot.index, all[0].slot);
  EXPECT_EQ(SlotState::kInUse, all[0].state);
  EXPECT_EQ(owner_.lane().id(), all[0].owner);
  EXPECT_EQ(owner_.lane().id().lane(), all[0].worker.lane);
  EXPECT_EQ("worker", all[0].worker.program);
  EXPECT_EQ("/srv/shop.php:12", all[0].place);
  EXPECT_GT(all[0].since_ns, now_ns() - 10 * kSecond);
  EXPECT_EQ(waiter_.lane().id(), all[1].owner);
  EXPECT_EQ("", all[1].place);
}

TEST_F(Inspection, PlaceOfAnEarlierHoldingIsNotShownOfAnIdleOne) {
  LocalSlot& slot = take(*owned_);
  owned_->note_place(slot, shm::note_place(owner_.lane().view(), "/srv/shop.php:12"));
  give_back(*owned_, slot);
  const auto all = holdings();
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ(SlotState::kIdle, all[0].state);
  EXPECT_EQ("", all[0].place);
}

TEST_F(Inspection, WaitingInOrderOfArrivalWithPlaceAndDeadline) {
  for (int i = 0; i < 3; ++i) take(*owned_);
  wait_.emplace(*waited_, 60 * kSecond, shm::monotonic_ns());
  wait_->note_place(shm::note_place(owner_.lane().view(), "/srv/cart.php:7"));
  ASSERT_EQ(Next::kWait, wait_->step(0).next);
  Worker third(server_.runtime_dir());
  auto pool = third.open("p", pool_of(3));
  Acquire forever(*pool, Acquire::kForever, shm::monotonic_ns());
  ASSERT_EQ(Next::kWait, forever.step(0).next);

  const auto all = waiting();
  ASSERT_EQ(2u, all.size());
  EXPECT_EQ(waiter_.lane().id(), all[0].owner);
  EXPECT_EQ("/srv/cart.php:7", all[0].place);
  EXPECT_GT(all[0].deadline_ns, now_ns());
  EXPECT_LE(all[0].deadline_ns, now_ns() + 60 * kSecond);
  EXPECT_EQ(third.lane().id(), all[1].owner);
  EXPECT_EQ(shm::kNoDeadline, all[1].deadline_ns);
  forever.cancel();
  EXPECT_EQ(1u, waiting().size());
}

TEST_F(Inspection, ProcessesWithWhatTheyHave) {
  for (int i = 0; i < 2; ++i) take(*owned_);
  give_back(*owned_, take(*owned_));
  wait_for_it();
  const auto all = shm::list_processes(owner_.lane().view(), now_ns());
  ASSERT_EQ(2u, all.size());
  EXPECT_EQ(owner_.process().index(), all[0].index);
  EXPECT_EQ(1u, all[0].lanes);
  EXPECT_EQ(1u, all[0].pools);
  EXPECT_EQ(2u, all[0].in_use);
  EXPECT_EQ(1u, all[0].idle);
  EXPECT_EQ(0u, all[0].waiting);
  EXPECT_EQ("worker", all[0].program);
  EXPECT_EQ(0u, all[1].in_use + all[1].idle);
  EXPECT_EQ(1u, all[1].waiting);
}

TEST_F(Inspection, OwnerThatIsGoneIsNobody) {
  take(*owned_);
  const shm::OwnerId gone =
      shm::OwnerId::make(owner_.lane().id().lane(), owner_.lane().id().incarnation() + 1);

  EXPECT_EQ("0/0", shm::worker_name(owner_.lane().view(), gone).text());
  EXPECT_EQ("0/0", shm::worker_name(owner_.lane().view(), shm::OwnerId{~uint64_t{0}}).text());
}

}  // namespace
}  // namespace oxpool::test
