// A runtime directory with one small segment, and workers that live in this process.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/runtime_dir.h"
#include "daemon/segment_store.h"
#include "scratch_directory.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/mutex_lock.h"
#include "shm/mutex_table.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/slot.h"

namespace oxpool::daemon {

inline Limits small_limits() {
  Limits limits;
  limits.tables = {.processes = 16,
                   .lanes = 16,
                   .extra_tickets = 4,
                   .pools = 8,
                   .seats = 32,
                   .chunks = 16,
                   .mutexes = 4,
                   .mutex_seats = 16,
                   .value_bytes = 64 * shm::kUnitBytes};
  return limits;
}

// A worker process as the segment knows it. It is alive until its token is closed.
struct TestWorker {
  Attachment attachment;
  shm::OwnerId lane;

  const ProcessRef& ref() const { return attachment.ref; }
  void die() { attachment.token.reset(); }
};

class SegmentFixture : public testing::Test {
 protected:
  SegmentFixture()
      : runtime(scratch.path(), false), limits(small_limits()), store(runtime, limits) {
    EXPECT_FALSE(store.find_or_make("test", &segment));
  }

  const shm::SegmentView& view() const { return segment->view(); }

  // `pid` 0: the daemon can not see the process.
  TestWorker attach(pid_t pid = 0) {
    TestWorker worker;
    const Peer peer{pid, getuid(), getgid(), {}};
    EXPECT_FALSE(segment->attach(peer, "tester", shm::monotonic_ns(), &worker.attachment));
    worker.lane = shm::open_lane(view(), worker.ref().process, worker.ref().incarnation, 1);
    return worker;
  }

  // A pool that the lane has a seat at.
  shm::PoolRecord& make_pool(const std::string& name, shm::OwnerId lane, uint32_t max_size = 4,
                             int64_t idle_timeout_ms = 1000) {
    shm::PoolRequest request;
    request.max_size = max_size;
    request.idle_timeout_ms = idle_timeout_ms;
    uint32_t index = 0;
    {
      shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
      EXPECT_EQ(shm::find_or_make_pool(lock, name, request, shm::monotonic_ns(), &index),
                shm::PoolResult::kOk);
      if (lane) {
        uint32_t seat = 0;
        EXPECT_EQ(shm::take_seat(lock, index, lane, &seat), shm::PoolResult::kOk);
      }
    }
    shm::PoolLock lock(view(), *view().pool(index), segment->locks(), shm::kLockPatienceNs);
    shm::settle_cap(lock);
    return *view().pool(index);
  }

  // A mutex with a given name, that the lane has a seat at. `initial`: as shm/value_format.h.
  shm::MutexRecord& make_mutex(const std::string& name, shm::OwnerId lane,
                               std::string_view initial = std::string_view("\0", 1)) {
    shm::MutexRequest request;
    request.given_name = true;
    request.initial = initial;
    uint32_t index = 0;
    uint32_t seat = 0;
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    EXPECT_EQ(shm::find_or_make_mutex(lock, name, request, shm::monotonic_ns(), &index),
              shm::MutexResult::kOk);
    EXPECT_EQ(shm::take_mutex_seat(lock, index, lane, &seat), shm::MutexResult::kOk);
    return *view().mutex(index);
  }

  // The lane's seat at the mutex.
  shm::MutexSeatRecord& seat_at(const shm::MutexRecord& mutex, shm::OwnerId lane) {
    for (uint32_t i = 0; i < view().high_water(shm::kMutexSeatTable); ++i) {
      shm::MutexSeatRecord& seat = *view().mutex_seat(i);
      if (seat.owner.load() == lane.raw && seat.mutex.load() == view().index_of(mutex)) return seat;
    }
    throw std::logic_error("no seat");
  }

  // A slot of the lane's in that state, since `changed_ns`.
  shm::SlotRecord& make_slot(shm::PoolRecord& pool, shm::OwnerId lane, shm::SlotState state,
                             int64_t changed_ns = 0) {
    uint32_t index = 0;
    const auto reserved = shm::SlotWord::make(shm::SlotState::kReserved, lane);
    shm::SlotRecord* slot = shm::take_free(view(), pool, reserved, &index);
    EXPECT_NE(slot, nullptr);
    slot->changed_ns.store(changed_ns);
    if (state != shm::SlotState::kReserved) {
      EXPECT_TRUE(shm::slot_move(*slot, reserved, shm::SlotWord::make(state, lane)));
    }
    return *slot;
  }

  // Removes the lane's seats as a worker does that drops its pools.
  void leave_all_seats(shm::OwnerId lane, int64_t now_ns) {
    shm::TableLock lock(view(), segment->locks(), shm::kLockPatienceNs);
    for (uint32_t i = 0; i < view().high_water(shm::kSeatTable); ++i) {
      if (view().seat(i)->owner.load() == lane.raw) shm::leave_seat(lock, i, now_ns);
    }
  }

  ScratchDirectory scratch;
  RuntimeDir runtime;
  Limits limits;
  SegmentStore store;
  NamespaceSegment* segment = nullptr;
};

}  // namespace oxpool::daemon
