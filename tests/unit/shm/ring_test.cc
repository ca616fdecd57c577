// What is seen at different times is no ring.
#include "shm/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

class RingSeenAtOnce : public test::SegmentHost {
 protected:
  RingSeenAtOnce() : one_(attach()), other_(attach()) {
    hold(*one_, "a");
    hold(*other_, "b");
    ask(*one_, 1, 2);
    ask(*other_, 0, 1);
  }

  void hold(test::AttachedLane& lane, const std::string& name) {
    uint32_t index = kNoIndex;
    MutexRequest request;
    request.given_name = true;
    TableLock tables(view(), lane.context(), 0);
    ASSERT_EQ(MutexResult::kOk, find_or_make_mutex(tables, name, request, 1, &index));
    ASSERT_TRUE(lock_if_open(*view().mutex(index), lane.id()));
  }
  // Everything of a wait but that it has begun.
  void ask(test::AttachedLane& lane, uint32_t mutex, int64_t since_ns) {
    TicketRecord& ticket = ticket_of(lane);
    ticket.owner = lane.id().raw;
    ticket.queue_mutex = mutex + 1;
    ticket.since_ns = since_ns;
    ticket.deadline_ns = kNoDeadline;
  }
  TicketRecord& ticket_of(test::AttachedLane& lane) { return *view().ticket(lane.id().lane()); }
  static void set(TicketRecord& ticket, WaitState state, uint32_t round) {
    ticket.wait_word = WaitWord::make(state, round).raw;
  }
  // Some time, another one each turn: whoever looks comes at ever other moments.
  static void dawdle(uint32_t turn) {
    std::atomic<uint32_t> steps{turn * 2654435761u >> 25};
    while (steps != 0) --steps;
  }
  bool is_told(test::AttachedLane& lane) {
    return is_last_of_a_ring(view(), daemon().liveness(), lane.id().lane());
  }
  bool one_is_told() { return is_told(*one_); }

  std::unique_ptr<test::AttachedLane> one_;
  std::unique_ptr<test::AttachedLane> other_;
};

TEST_F(RingSeenAtOnce, IsOne) {
  set(ticket_of(*one_), WaitState::kWaiting, 1);
  EXPECT_FALSE(one_is_told());
  set(ticket_of(*other_), WaitState::kWaiting, 1);
  EXPECT_TRUE(one_is_told());
}

// Each waits for what the other one has, time and again, and never while the other one waits.
TEST_F(RingSeenAtOnce, WaitsThatNeverAreAtTheSameTimeAreNone) {
  std::atomic<bool> stop{false};
  std::thread both([&] {
    for (uint32_t round = 1; !stop; ++round) {
      for (test::AttachedLane* lane : {one_.get(), other_.get()}) {
        set(ticket_of(*lane), WaitState::kWaiting, round);
        dawdle(round);
        set(ticket_of(*lane), WaitState::kCancelled, round);
      }
    }
  });
  int alarms = 0;
  for (int look = 0; look < 1'000'000; ++look) alarms += one_is_told() ? 1 : 0;
  stop = true;
  both.join();
  EXPECT_EQ(0, alarms);
}

// The same with the lock: it is with the one only while that one does not wait.
TEST_F(RingSeenAtOnce, WhoHasItOnlyWhileItDoesNotWaitIsNone) {
  set(ticket_of(*other_), WaitState::kWaiting, 1);  // for a
  ticket_of(*other_).since_ns = 3;                  // last of all
  MutexRecord& a = *view().mutex(0);
  std::atomic<bool> stop{false};
  std::thread both([&] {
    for (uint32_t round = 1; !stop; ++round) {
      a.lock = MutexWord{}.with_owner(one_->id()).raw;
      dawdle(round);
      a.lock = MutexWord{}.with_owner(daemon().id()).raw;
      set(ticket_of(*one_), WaitState::kWaiting, round);
      dawdle(round * 7);
      set(ticket_of(*one_), WaitState::kCancelled, round);
    }
  });
  int alarms = 0;
  for (int look = 0; look < 1'000'000; ++look) alarms += is_told(*other_) ? 1 : 0;
  stop = true;
  both.join();
  EXPECT_EQ(0, alarms);
}

}  // namespace
}  // namespace oxpool::shm
