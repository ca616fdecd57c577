// Death while a unit is granted, retired or made. The steps of serve() for one ticket:
//   1 hint claimed  2 slot GRANTED  3 slot's ticket  4 wait word GRANTED  5 unlinked  6 woken
// of settle_cap() upwards:   1 RETIRED → FREE  2 hint  3 pressure  4 cap
// and downwards:             1 pressure  2 cap  3 hint claimed  4 FREE → RETIRED  5 excess less one
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "shm/futex.h"
#include "tests/unit/repair_host.h"
#include "tests/unit/wait_until.h"

namespace oxpool::shm {
namespace {

using test::AttachedLane;
using test::census;
using test::expect_whole;
using test::queue_of;
using test::wait_until;

ChunkRecord& chunk_of(Repair& host, PoolRecord& pool) { return *host.view().chunk_of(pool, 0); }

// Slot 0 is free; `waiter` is the head.
void grant_until(Repair& host, PoolRecord& pool, const AttachedLane& waiter, int last_step) {
  SlotRecord& slot = *host.view().slot(pool, 0);
  TicketRecord& ticket = host.ticket_of(waiter);
  if (last_step >= 1) chunk_of(host, pool).free_hint = 0;
  if (last_step >= 2) slot.word = SlotWord::make(SlotState::kGranted, waiter.id()).raw;
  if (last_step >= 3) slot.ticket = waiter.id().lane();
  if (last_step >= 4) {
    ticket.wait_word =
        WaitWord::make(WaitState::kGranted, WaitWord{ticket.wait_word}.round(), 0).raw;
  }
  if (last_step >= 5) {
    pool.head = ticket.next.load();
    host.view().ticket(ticket.next)->previous = kNoIndex;
    pool.pressure = PressureWord::make(load_pressure(pool).waiting() - 1, 0).raw;
    ticket.queue_pool = 0;
  }
}

void died_granting(Repair& host, int step) {
  PoolRecord& pool = host.saturated("p", 1);
  auto first = host.attach();
  auto second = host.attach();
  host.join(pool, *first);
  host.join(pool, *second);
  host.free_unit(pool, 0);
  grant_until(host, pool, *first, step);
  host.die_inside(pool.lock);
  host.heal(pool);
  EXPECT_TRUE(host.has_its_unit(pool, *first));
  EXPECT_EQ(Repair::lanes({second.get()}), queue_of(host.view(), pool));
  expect_whole(host.view(), pool, 1);
}

TEST_F(Repair, DiedAfterGrantClaimedTheHint) { died_granting(*this, 1); }
TEST_F(Repair, DiedAfterGrantMarkedTheSlot) { died_granting(*this, 2); }
TEST_F(Repair, DiedAfterGrantNotedTheTicket) { died_granting(*this, 3); }
TEST_F(Repair, DiedAfterGrantDecidedTheWait) { died_granting(*this, 4); }
TEST_F(Repair, DiedAfterGrantUnlinkedTheTicket) { died_granting(*this, 5); }

TEST_F(Repair, DiedAfterGrantMarkedASlotThatAnotherTicketHadBefore) {
  PoolRecord& pool = saturated("p", 1);
  auto first = attach();
  auto second = attach();
  join(pool, *first);
  join(pool, *second);
  free_unit(pool, 0);
  view().slot(pool, 0)->ticket = second->id().lane();
  grant_until(*this, pool, *first, 2);
  die_inside(pool.lock);
  heal(pool);
  EXPECT_TRUE(has_its_unit(pool, *first));
  EXPECT_FALSE(has_its_unit(pool, *second));
  expect_whole(view(), pool, 1);
}

// A lane can wait with more tickets than one. The one that it had this slot by before is not the
// one that it gets it by now, and what its wait word still says of that slot is over.
TEST_F(Repair, DiedAfterGrantMarkedASlotThatTheLaneHadByAnotherTicket) {
  PoolRecord& pool = saturated("p", 1);
  auto first = attach();
  join(pool, *first);
  free_unit(pool, 0);
  SlotRecord& slot = *view().slot(pool, 0);
  {
    PoolLock lock(view(), pool, healer_->context(), 0);
    ASSERT_EQ(1u, serve(lock));
  }
  ASSERT_TRUE(accept_grant(slot, first->id()));

  const uint32_t further = claim_extra_ticket(view(), first->id());
  ASSERT_NE(kNoIndex, further);
  {
    PoolLock lock(view(), pool, first->context(), 0);
    enqueue(lock, {further, first->id(), ++clock_ns_, kNoDeadline});
  }
  ASSERT_TRUE(free_slot(view(), pool, 0, SlotWord::make(SlotState::kReserved, first->id())));
  grant_until(*this, pool, *first, 2);
  die_inside(pool.lock);
  heal(pool);
  EXPECT_EQ(WaitState::kGranted, WaitWord{view().ticket(further)->wait_word.load()}.state());
  EXPECT_EQ(0u, load_pressure(pool).waiting());
}

TEST_F(Repair, DiedAfterGrantThatWasAccepted) {
  PoolRecord& pool = saturated("p", 1);
  auto first = attach();
  auto second = attach();
  join(pool, *first);
  join(pool, *second);
  free_unit(pool, 0);
  grant_until(*this, pool, *first, 4);
  ASSERT_TRUE(accept_grant(*view().slot(pool, 0), first->id()));
  die_inside(pool.lock);
  heal(pool);
  EXPECT_EQ(SlotState::kReserved, load_slot(*view().slot(pool, 0)).state());
  EXPECT_EQ(lanes({second.get()}), queue_of(view(), pool));
  expect_whole(view(), pool, 1);
}

TEST_F(Repair, DiedAfterGrantToAWaitThatWasCancelled) {
  PoolRecord& pool = saturated("p", 1);
  auto first = attach();
  auto second = attach();
  const WaitWord waiting = join(pool, *first);
  join(pool, *second);
  free_unit(pool, 0);
  grant_until(*this, pool, *first, 3);
  ASSERT_TRUE(cancel_wait(ticket_of(*first), waiting));
  die_inside(pool.lock);
  heal(pool);
  EXPECT_FALSE(has_its_unit(pool, *first));
  EXPECT_TRUE(has_its_unit(pool, *second));
  expect_whole(view(), pool, 1);
}

TEST_F(Repair, DiedAfterVoidGrantWasFreedWithoutItsHint) {
  PoolRecord& pool = saturated("p", 1);
  auto first = attach();
  join(pool, *first);
  view().slot(pool, 0)->word = SlotWord::free().raw;
  die_inside(pool.lock);
  heal(pool);
  EXPECT_TRUE(has_its_unit(pool, *first));
  expect_whole(view(), pool, 1);
}

bool asleep(pid_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  char text[256] = {};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  const char* name_end = got > 0 ? std::strrchr(text, ')') : nullptr;
  return name_end != nullptr && name_end[2] == 'S';
}

// The waiter sleeps in the kernel while its grant is half done.
void died_granting_to_a_sleeper(Repair& host, int step) {
  constexpr int64_t kSleepNs = 25 * kNanosPerSecond;
  PoolRecord& pool = host.saturated("p", 1);
  auto first = host.attach();
  auto second = host.attach();
  const WaitWord waiting = host.join(pool, *first);
  host.join(pool, *second);
  std::atomic<pid_t> thread_id{0};
  int64_t slept_ns = 0;
  std::thread sleeper([&] {
    const int64_t before_ns = monotonic_ns();
    thread_id = static_cast<pid_t>(syscall(SYS_gettid));
    futex_wait(host.ticket_of(*first).wait_word, waiting.low_half(), kSleepNs);
    slept_ns = monotonic_ns() - before_ns;
  });
  EXPECT_TRUE(wait_until([&] { return thread_id != 0 && asleep(thread_id); }));
  host.free_unit(pool, 0);
  grant_until(host, pool, *first, step);
  host.die_inside(pool.lock);
  host.heal(pool);
  sleeper.join();
  EXPECT_TRUE(host.has_its_unit(pool, *first));
  EXPECT_LT(slept_ns, kSleepNs) << "never woken";
}

TEST_F(Repair, DiedAfterGrantNotedTheTicketOfASleeper) { died_granting_to_a_sleeper(*this, 3); }
TEST_F(Repair, DiedAfterGrantDecidedTheWaitOfASleeper) { died_granting_to_a_sleeper(*this, 4); }
TEST_F(Repair, DiedAfterGrantUnlinkedTheTicketOfASleeper) { died_granting_to_a_sleeper(*this, 5); }

// From 1 to 3 units, one of them in use, somebody waits.
void died_raising_the_cap(Repair& host, int step) {
  PoolRecord& pool = host.saturated("p", 1);
  auto waiter = host.attach();
  host.join(pool, *waiter);
  pool.settings.max_size = 3;
  if (step >= 1) host.view().slot(pool, 1)->word = SlotWord::free().raw;
  if (step >= 2) chunk_of(host, pool).free_hint = 0b10;
  if (step >= 3) {
    host.view().slot(pool, 2)->word = SlotWord::free().raw;
    chunk_of(host, pool).free_hint = 0b110;
    pool.pressure = PressureWord::make(1, 0).raw;
  }
  if (step >= 4) pool.cap = 3;
  host.die_inside(pool.lock);
  host.heal(pool);
  EXPECT_TRUE(host.has_its_unit(pool, *waiter));
  EXPECT_EQ(1u, census(host.view(), pool)[SlotState::kFree]);
  expect_whole(host.view(), pool, 3);
}

TEST_F(Repair, DiedAfterCapWasAskedFor) { died_raising_the_cap(*this, 0); }
TEST_F(Repair, DiedAfterRaisedCapFreedAUnit) { died_raising_the_cap(*this, 1); }
TEST_F(Repair, DiedAfterRaisedCapHintedAUnit) { died_raising_the_cap(*this, 2); }
TEST_F(Repair, DiedAfterRaisedCapCountedThePressure) { died_raising_the_cap(*this, 3); }
TEST_F(Repair, DiedAfterRaisedCapWasStored) { died_raising_the_cap(*this, 4); }

// From 4 to 1 unit, two in use, two free: excess 3, of which two go at once.
void died_lowering_the_cap(Repair& host, int step) {
  PoolRecord& pool = host.saturated("p", 4);
  host.free_unit(pool, 2);
  host.free_unit(pool, 3);
  pool.settings.max_size = 1;
  if (step >= 1) pool.pressure = PressureWord::make(0, 3).raw;
  if (step >= 2) pool.cap = 1;
  if (step >= 3) chunk_of(host, pool).free_hint = 0b1000;
  if (step >= 4) host.view().slot(pool, 2)->word = SlotWord::retired().raw;
  if (step >= 5) pool.pressure = PressureWord::make(0, 2).raw;
  host.die_inside(pool.lock);
  host.heal(pool);
  EXPECT_EQ(2u, census(host.view(), pool)[SlotState::kInUse]);
  EXPECT_EQ(1u, load_pressure(pool).excess());
  expect_whole(host.view(), pool, 1);
  host.free_unit(pool, 0);
  settle_pressure(host.view(), pool, host.holder_->context());
  EXPECT_EQ(0u, load_pressure(pool).raw);
  expect_whole(host.view(), pool, 1);
}

TEST_F(Repair, DiedAfterLowerCapWasAskedFor) { died_lowering_the_cap(*this, 0); }
TEST_F(Repair, DiedAfterLoweredCapCountedTheExcess) { died_lowering_the_cap(*this, 1); }
TEST_F(Repair, DiedAfterLoweredCapWasStored) { died_lowering_the_cap(*this, 2); }
TEST_F(Repair, DiedAfterRetirementClaimedTheHint) { died_lowering_the_cap(*this, 3); }
TEST_F(Repair, DiedAfterRetirementOfAUnit) { died_lowering_the_cap(*this, 4); }
TEST_F(Repair, DiedAfterRetirementLoweredTheExcess) { died_lowering_the_cap(*this, 5); }

}  // namespace
}  // namespace oxpool::shm
