// Waits without limit that could never end: one of those who wait is told so.
#include "shm/ring.h"

#include <gtest/gtest.h>

#include "shm/queue.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class Ring : public ::testing::Test {
 protected:
  Ring() : server_(few()) {}

  // A worker that has one unit of the pool, and what it waits for.
  struct Member {
    Member(Ring& ring, const std::string& holds, const std::string& wants, uint32_t cap)
        : worker(ring.server_.runtime_dir()),
          held(worker.open(holds, pool_of(cap))),
          wanted(holds == wants ? nullptr : worker.open(wants, pool_of(cap))) {
      slot = &take(*held);
    }
    Next wait(int64_t timeout_ns = Acquire::kForever) {
      acquire = std::make_unique<Acquire>(wanted != nullptr ? *wanted : *held, timeout_ns,
                                          shm::monotonic_ns());
      return step();
    }
    Next step() { return acquire->step(0).next; }

    Worker worker;
    std::unique_ptr<Pool> held;
    std::unique_ptr<Pool> wanted;
    LocalSlot* slot;
    std::unique_ptr<Acquire> acquire;
  };

  HandshakeServer server_;
};

TEST_F(Ring, EachHasOneAndWantsASecond) {
  Member a(*this, "p", "p", 3);
  Member b(*this, "p", "p", 3);
  Member c(*this, "p", "p", 3);
  EXPECT_EQ(Next::kWait, a.wait());
  EXPECT_EQ(Next::kWait, b.wait());
  EXPECT_EQ(Next::kDeadlock, c.wait()) << "the last one closes the ring";
  EXPECT_NE(std::string::npos, c.acquire->describe(Next::kDeadlock).find("waits without limit"));
  EXPECT_EQ(Next::kWait, a.step());
  give_back(*c.held, *c.slot);
  EXPECT_EQ(Next::kMint, a.step()) << "and the others go on";
  EXPECT_EQ(Next::kWait, b.step());
}

TEST_F(Ring, OverTwoPools) {
  Member a(*this, "one", "other", 1);
  Member b(*this, "other", "one", 1);
  EXPECT_EQ(Next::kWait, a.wait());
  EXPECT_EQ(Next::kDeadlock, b.wait());
  EXPECT_EQ(1u, a.wanted->counts().waiting);
  expect_whole(a.worker.lane().view(), a.wanted->record(), 1);
}

TEST_F(Ring, OneWithADeadlineIsNoRing) {
  Member a(*this, "one", "other", 1);
  Member b(*this, "other", "one", 1);
  EXPECT_EQ(Next::kWait, a.wait(60 * kSecond));
  EXPECT_EQ(Next::kWait, b.wait());
  EXPECT_EQ(Next::kWait, b.step());
  Member late(*this, "third", "one", 1);
  EXPECT_EQ(Next::kWait, late.wait(kSecond));
}

TEST_F(Ring, OneWhoHoldsAndDoesNotWaitIsNoRing) {
  Member a(*this, "p", "p", 3);
  Member b(*this, "p", "p", 3);
  Member busy(*this, "p", "p", 3);
  EXPECT_EQ(Next::kWait, a.wait());
  EXPECT_EQ(Next::kWait, b.wait());
  give_back(*busy.held, *busy.slot);
  EXPECT_EQ(Next::kMint, a.step());
}

TEST_F(Ring, WhoComesFromOutsideIsToldToo) {
  // It holds nothing, but what it waits for will never come.
  Member a(*this, "one", "other", 1);
  Member b(*this, "other", "one", 1);
  EXPECT_EQ(Next::kWait, a.wait());
  b.acquire = std::make_unique<Acquire>(*b.wanted, 60 * kSecond, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, b.step()) << "with a deadline";
  Worker outside(server_.runtime_dir());
  auto pool = outside.open("one", pool_of(1));
  Acquire waiting(*pool, Acquire::kForever, shm::monotonic_ns());
  EXPECT_EQ(Next::kWait, waiting.step(0).next);
}

TEST_F(Ring, TwoWhoJoinTogetherDoNotBothGiveUp) {
  Member a(*this, "one", "other", 1);
  Member b(*this, "other", "one", 1);
  // As if neither had seen the other when it joined.
  ASSERT_EQ(Next::kWait, a.wait());
  const uint32_t mine = b.worker.lane().id().lane();
  {
    shm::PoolLock lock(b.worker.lane().view(), b.wanted->record(), b.worker.lane().lock_context(),
                       kSecond);
    shm::enqueue(lock, {mine, b.worker.lane().id(), shm::monotonic_ns(), shm::kNoDeadline});
  }
  const shm::SegmentView& view = server_.view();
  EXPECT_TRUE(shm::is_last_of_a_ring(view, b.worker.process().liveness(), mine));
  EXPECT_FALSE(
      shm::is_last_of_a_ring(view, b.worker.process().liveness(), a.worker.lane().id().lane()));
}

TEST_F(Ring, TheDeadAreNoPartOfIt) {
  auto dead = std::make_unique<Member>(*this, "p", "p", 2);
  Member b(*this, "p", "p", 2);
  ASSERT_EQ(Next::kWait, dead->wait());
  const shm::OwnerId gone = dead->worker.lane().id();
  server_.view().lane(gone.lane())->incarnation = gone.incarnation() + 1;  // as after its burial
  EXPECT_EQ(Next::kWait, b.wait()) << "its unit comes back";
  server_.view().lane(gone.lane())->incarnation = gone.incarnation();
}

}  // namespace
}  // namespace oxpool::test
