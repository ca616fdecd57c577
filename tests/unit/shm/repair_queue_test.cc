// Death while a ticket joins or leaves a queue. The steps of enqueue():
//   1 fields and queue_pool  2 wait_word WAITING  3 own links  4 the tail's next, or head  5 tail
//   6 head's age  7 pressure
// and of unlink():
//   1 the one before, or head  2 the one behind, or tail  3 pressure  4 queue_pool  (5 head's age)
#include "tests/unit/repair_host.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::queue_of;

void enqueue_until(Repair& host, PoolRecord& pool, const AttachedLane& lane, int last_step) {
  TicketRecord& ticket = host.ticket_of(lane);
  const uint32_t tail = pool.tail;
  const auto step = [&](int number, auto what) {
    if (number <= last_step) what();
  };
  step(1, [&] {
    ticket.owner = lane.id().raw;
    ticket.since_ns = 5000;
    ticket.deadline_ns = kNoDeadline;
    ticket.number = pool.next_number++;
    ticket.queue_pool = host.view().index_of(pool) + 1;
  });
  step(2, [&] {
    const uint32_t round = WaitWord{ticket.wait_word}.round() + 1;
    ticket.wait_word = WaitWord::make(WaitState::kWaiting, round).raw;
  });
  step(3, [&] {
    ticket.next = kNoIndex;
    ticket.previous = tail;
  });
  step(4,
       [&] { (tail == kNoIndex ? pool.head : host.view().ticket(tail)->next) = lane.id().lane(); });
  step(5, [&] { pool.tail = lane.id().lane(); });
  step(6, [&] {
    if (tail == kNoIndex) pool.head_since_ns = 5000;
  });
  step(7, [&] { pool.pressure = PressureWord::make(load_pressure(pool).waiting() + 1, 0).raw; });
}

// Behind a living waiter, with a unit that came free meanwhile.
void died_enqueueing_behind_another(Repair& host, int step) {
  PoolRecord& pool = host.saturated("behind", 1);
  auto first = host.attach();
  host.join(pool, *first);
  enqueue_until(host, pool, *host.victim_, step);
  host.free_unit(pool, 0);
  host.die_inside(pool.lock);
  host.heal(pool);
  EXPECT_TRUE(host.has_its_unit(pool, *first));
  const auto left = step >= 2 ? Repair::lanes({host.victim_.get()}) : std::vector<uint32_t>{};
  EXPECT_EQ(left, queue_of(host.view(), pool));
  expect_whole(host.view(), pool, 1);
  host.bury_victim(pool);
  EXPECT_TRUE(queue_of(host.view(), pool).empty());
  EXPECT_TRUE(host.has_its_unit(pool, *first)) << "a living lane loses nothing";
  expect_whole(host.view(), pool, 1);
}

// Alone in the queue: the unit may be granted to it until it is buried.
void died_enqueueing_alone(Repair& host, int step) {
  host.victim_ = host.attach();
  PoolRecord& pool = host.saturated("alone", 1);
  enqueue_until(host, pool, *host.victim_, step);
  host.free_unit(pool, 0);
  host.die_inside(pool.lock);
  host.heal(pool);
  expect_whole(host.view(), pool, 1);
  host.bury_victim(pool);
  EXPECT_TRUE(queue_of(host.view(), pool).empty());
  EXPECT_EQ(1u, census(host.view(), pool)[SlotState::kFree]);
  expect_whole(host.view(), pool, 1);
}

void died_enqueueing(Repair& host, int step) {
  died_enqueueing_behind_another(host, step);
  died_enqueueing_alone(host, step);
}

TEST_F(Repair, DiedAfterEnqueueFilledTheTicket) { died_enqueueing(*this, 1); }
TEST_F(Repair, DiedAfterEnqueueSaidItWaits) { died_enqueueing(*this, 2); }
TEST_F(Repair, DiedAfterEnqueueSetItsOwnLinks) { died_enqueueing(*this, 3); }
TEST_F(Repair, DiedAfterEnqueueLinkedFromBefore) { died_enqueueing(*this, 4); }
TEST_F(Repair, DiedAfterEnqueueSetTheTail) { died_enqueueing(*this, 5); }
TEST_F(Repair, DiedAfterEnqueueSetTheHeadsAge) { died_enqueueing(*this, 6); }
TEST_F(Repair, DiedAfterEnqueueCountedItself) { died_enqueueing(*this, 7); }

// A ticket that was used before carries the words of its earlier wait.
TEST_F(Repair, DiedAfterEnqueueFilledATicketThatWasGrantedBefore) {
  PoolRecord& pool = saturated("p", 2);
  TicketRecord& ticket = ticket_of(*victim_);
  ticket.wait_word = WaitWord::make(WaitState::kGranted, 7, 1).raw;
  enqueue_until(*this, pool, *victim_, 1);
  die_inside(pool.lock);
  heal(pool);
  EXPECT_EQ(0u, ticket.queue_pool.load());
  expect_whole(view(), pool, 2);
}

void unlink_until(Repair& host, PoolRecord& pool, const AttachedLane& lane, int last_step) {
  TicketRecord& ticket = host.ticket_of(lane);
  TicketRecord* before = host.view().ticket(ticket.previous);
  TicketRecord* after = host.view().ticket(ticket.next);
  if (last_step >= 1) (before == nullptr ? pool.head : before->next) = ticket.next.load();
  if (last_step >= 2) (after == nullptr ? pool.tail : after->previous) = ticket.previous.load();
  if (last_step >= 3) {
    pool.pressure = PressureWord::make(load_pressure(pool).waiting() - 1, 0).raw;
  }
  if (last_step >= 4) ticket.queue_pool = 0;
}

// Takes out a cancelled one of three: head, middle, tail.
void died_unlinking(Repair& host, int step) {
  for (size_t position = 0; position < 3; ++position) {
    PoolRecord& pool = host.saturated("unlink " + std::to_string(position), 1);
    std::vector<std::unique_ptr<AttachedLane>> waiters;
    for (int i = 0; i < 3; ++i) waiters.push_back(host.attach());
    std::vector<WaitWord> words;
    for (auto& waiter : waiters) words.push_back(host.join(pool, *waiter));
    ASSERT_TRUE(cancel_wait(host.ticket_of(*waiters[position]), words[position]));
    unlink_until(host, pool, *waiters[position], step);
    host.die_inside(pool.lock);
    host.heal(pool);
    EXPECT_EQ(0u, host.ticket_of(*waiters[position]).queue_pool.load());
    std::vector<const AttachedLane*> left;
    for (size_t i = 0; i < 3; ++i) {
      if (i != position) left.push_back(waiters[i].get());
    }
    EXPECT_EQ(Repair::lanes(left), queue_of(host.view(), pool));
    EXPECT_EQ(host.ticket_of(*left[0]).since_ns.load(), pool.head_since_ns.load());
    expect_whole(host.view(), pool, 1);
    host.victim_ = host.attach();  // the next round's
  }
}

TEST_F(Repair, DiedAfterUnlinkRelinkedTheOneBefore) { died_unlinking(*this, 1); }
TEST_F(Repair, DiedAfterUnlinkRelinkedTheOneBehind) { died_unlinking(*this, 2); }
TEST_F(Repair, DiedAfterUnlinkUncountedIt) { died_unlinking(*this, 3); }
TEST_F(Repair, DiedAfterUnlinkLetTheTicketGo) { died_unlinking(*this, 4); }
TEST_F(Repair, DiedAfterCancelBeforeUnlink) { died_unlinking(*this, 0); }

// Repair is itself interrupted and starts anew.
TEST_F(Repair, DiedAfterRepairLinkedHalfTheQueue) {
  PoolRecord& pool = saturated("p", 1);
  auto a = attach();
  auto b = attach();
  join(pool, *a);
  join(pool, *b);
  pool.head = b->id().lane();
  pool.tail = kNoIndex;
  ticket_of(*b).previous = kNoIndex;
  ticket_of(*b).next = a->id().lane();
  pool.pressure = 0;
  die_inside(pool.lock);
  heal(pool);
  EXPECT_EQ(lanes({a.get(), b.get()}), queue_of(view(), pool)) << "in order of arrival";
  expect_whole(view(), pool, 1);
}

TEST_F(Repair, DiedAfterScribblingOnEveryLink) {
  PoolRecord& pool = saturated("p", 1);
  std::vector<std::unique_ptr<AttachedLane>> waiters;
  for (int i = 0; i < 5; ++i) {
    waiters.push_back(attach());
    join(pool, *waiters.back());
  }
  for (auto& waiter : waiters) {
    ticket_of(*waiter).next = waiter->id().lane();
    ticket_of(*waiter).previous = 0xfffffff0;
  }
  pool.head = waiters[3]->id().lane();
  pool.tail = 0xfffffff0;
  pool.pressure = ~uint64_t{0};
  die_inside(pool.lock);
  free_unit(pool, 0);
  heal(pool);
  EXPECT_TRUE(has_its_unit(pool, *waiters[0]));
  EXPECT_EQ(4u, queue_of(view(), pool).size());
  expect_whole(view(), pool, 1);
}

TEST_F(Repair, DiedAfterItsExtraTicketWasLinked) {
  PoolRecord& pool = saturated("p", 1);
  auto a = attach();
  const uint32_t extra = claim_extra_ticket(view(), a->id());
  {
    PoolLock lock(view(), pool, a->context(), 0);
    enqueue(lock, {extra, a->id(), 1, kNoDeadline});
  }
  pool.head = kNoIndex;
  pool.pressure = 0;
  die_inside(pool.lock);
  heal(pool);
  EXPECT_EQ(std::vector<uint32_t>{extra}, queue_of(view(), pool));
  expect_whole(view(), pool, 1);
}

}  // namespace
}  // namespace oxpool::shm
