// What the daemon does for shm/: a segment, its lock file, and processes that come to life in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/liveness.h"
#include "shm/locks.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/segment.h"
#include "shm/slot.h"
#include "shm/snapshot.h"
#include "shm/token.h"
#include "tests/unit/temporary_directory.h"

namespace oxpool::test {

// Small tables, so that tests can fill them.
inline shm::SegmentSizes small_sizes() {
  return {.processes = 16,
          .lanes = 32,
          .extra_tickets = 8,
          .pools = 4,
          .seats = 16,
          .chunks = 8,
          .mutexes = 8,
          .mutex_seats = 16,
          .value_bytes = 64 * shm::kUnitBytes};
}

// One attached process with one lane, as far as shm/ can tell. Several of them live in one test
// process; each asks with its own Liveness, so the others are judged by their tokens.
class AttachedLane {
 public:
  AttachedLane(const shm::SegmentView& view, const std::string& lock_path, uint32_t process)
      : view_(view), process_(process) {
    if (shm::Error error = shm::take_token(lock_path, process, &token_)) {
      throw std::runtime_error(error.message);
    }
    incarnation_ = shm::publish_process(view, process, 1, 0, "test", shm::monotonic_ns());
    id_ = shm::open_lane(view, process, incarnation_, 1);
    liveness_ = shm::Liveness(view, token_, process, incarnation_);
  }
  ~AttachedLane() { die(); }

  // What the kernel does to a killed process's token; its records stay as they are.
  void die() {
    if (token_ >= 0) close(token_);
    token_ = -1;
  }
  shm::OwnerId id() const { return id_; }
  shm::LockContext context() const { return {id_, &liveness_}; }
  uint32_t process() const { return process_; }
  uint64_t incarnation() const { return incarnation_; }
  const shm::Liveness& liveness() const { return liveness_; }

 private:
  shm::SegmentView view_;
  uint32_t process_;
  int token_ = -1;
  uint64_t incarnation_ = 0;
  shm::OwnerId id_;
  shm::Liveness liveness_;
};

class SegmentHost : public ::testing::Test {
 protected:
  explicit SegmentHost(const shm::SegmentSizes& sizes = small_sizes()) {
    int fd = -1;
    if (shm::Error error =
            shm::MappedSegment::create(directory_.file("segment"), "test", sizes, &fd, &segment_)) {
      throw std::runtime_error(error.message);
    }
    close(fd);
    daemon_ = std::make_unique<AttachedLane>(view(), lock_path(), shm::kDaemonProcess);
  }

  const shm::SegmentView& view() const { return segment_.view(); }
  std::string lock_path() const { return directory_.file("locks"); }
  AttachedLane& daemon() { return *daemon_; }

  // A further attached process.
  std::unique_ptr<AttachedLane> attach() {
    return std::make_unique<AttachedLane>(view(), lock_path(), next_process_++);
  }

  // A pool with a seat for `lane`, its cap in force.
  shm::PoolRecord& make_pool(const std::string& name, uint32_t max_size, AttachedLane& lane,
                             uint32_t* seat = nullptr) {
    shm::PoolRequest request;
    request.max_size = max_size;
    uint32_t pool = shm::kNoIndex;
    uint32_t seat_index = shm::kNoIndex;
    {
      shm::TableLock tables(view(), lane.context(), shm::kLockPatienceNs);
      EXPECT_EQ(shm::PoolResult::kOk,
                shm::find_or_make_pool(tables, name, request, shm::monotonic_ns(), &pool));
      EXPECT_EQ(shm::PoolResult::kOk, shm::take_seat(tables, pool, lane.id(), &seat_index));
    }
    if (seat != nullptr) *seat = seat_index;
    shm::PoolLock lock(view(), *view().pool(pool), lane.context(), shm::kLockPatienceNs);
    shm::serve(lock);
    return *view().pool(pool);
  }

  // Takes a free unit as a mint does; nullptr when none is free.
  shm::SlotRecord* reserve(shm::PoolRecord& pool, const AttachedLane& lane, uint32_t* index) {
    return shm::take_free(view(), pool, shm::SlotWord::make(shm::SlotState::kReserved, lane.id()),
                          index);
  }

  TemporaryDirectory directory_;
  shm::MappedSegment segment_;
  std::unique_ptr<AttachedLane> daemon_;
  uint32_t next_process_ = 1;
};

}  // namespace oxpool::test
