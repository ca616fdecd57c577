// What a whole pool looks like, read word by word.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "shm/queue.h"
#include "shm/segment.h"
#include "shm/slot.h"

namespace oxpool::test {

// How many slots are in each state, indexed by SlotState.
struct SlotCensus {
  uint32_t by_state[8] = {};
  uint32_t operator[](shm::SlotState state) const { return by_state[static_cast<int>(state)]; }
  // Units of budget: all but the retired.
  uint32_t units() const {
    uint32_t sum = 0;
    for (int state = 1; state < 8; ++state) sum += by_state[state];
    return sum;
  }
};

inline SlotCensus census(const shm::SegmentView& view, const shm::PoolRecord& pool) {
  SlotCensus result;
  shm::for_each_slot(view, pool, [&](uint32_t, shm::SlotRecord& slot) {
    ++result.by_state[static_cast<int>(shm::load_slot(slot).state())];
  });
  return result;
}

// The tickets of the queue from head to tail; checks that the links agree in both directions.
inline std::vector<uint32_t> queue_of(const shm::SegmentView& view, const shm::PoolRecord& pool) {
  std::vector<uint32_t> result;
  uint32_t previous = shm::kNoIndex;
  uint32_t index = pool.head.load();
  while (shm::TicketRecord* ticket = view.ticket(index)) {
    EXPECT_EQ(previous, ticket->previous.load()) << "ticket " << index;
    EXPECT_EQ(view.index_of(pool) + 1, ticket->queue_pool.load()) << "ticket " << index;
    result.push_back(index);
    if (result.size() > view.count(shm::kTicketTable)) {
      ADD_FAILURE() << "the queue runs in a circle";
      return result;
    }
    previous = index;
    index = ticket->next.load();
  }
  EXPECT_EQ(previous, pool.tail.load());
  return result;
}

// Everything that is derivable agrees with what it is derived from, and nobody waits while a unit
// is free. To be asked when nobody is in the middle of a step.
inline void expect_whole(const shm::SegmentView& view, const shm::PoolRecord& pool, uint32_t cap) {
  const SlotCensus slots = census(view, pool);
  const shm::PressureWord pressure = shm::load_pressure(pool);
  const std::vector<uint32_t> queue = queue_of(view, pool);
  EXPECT_EQ(cap, pool.cap.load());
  EXPECT_EQ(cap + pressure.excess(), slots.units());
  EXPECT_EQ(queue.size(), pressure.waiting());
  if (!queue.empty() || pressure.excess() > 0) {
    EXPECT_EQ(0u, slots[shm::SlotState::kFree]);
  }
  shm::for_each_slot(view, pool, [&](uint32_t index, shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (word == shm::SlotWord::free()) {
      const uint32_t hints = view.chunk_of(pool, index / 32)->free_hint.load();
      EXPECT_TRUE(hints >> (index % 32) & 1u) << "free slot " << index << " has no hint";
    }
    if (word.state() != shm::SlotState::kGranted) return;
    const shm::TicketRecord* ticket = view.ticket(slot.ticket.load());
    ASSERT_NE(nullptr, ticket) << "slot " << index << " is granted to no ticket";
    const shm::WaitWord wait{ticket->wait_word.load()};
    EXPECT_TRUE(wait.state() == shm::WaitState::kGranted && wait.slot() == index)
        << "slot " << index << " is granted and its ticket does not know";
  });
  for (const uint32_t index : queue) {
    const shm::WaitWord wait{view.ticket(index)->wait_word.load()};
    EXPECT_EQ(shm::WaitState::kWaiting, wait.state()) << "ticket " << index;
  }
}

}  // namespace oxpool::test
