#include "client/mutex.h"

#include <algorithm>
#include <utility>

#include "shm/locks.h"
#include "shm/mutex_inspection.h"

namespace oxpool {

using shm::MutexWord;

Mutex::Mutex(Lane& lane, shm::MutexRecord& record, shm::MutexSeatRecord& seat)
    : lane_(lane), record_(record), seat_(seat), me_(lane.id()) {}

Mutex::~Mutex() {
  discard();
  if (!lane_.still_usable()) return;
  shm::TableLock tables(lane_.view(), lane_.lock_context(), shm::kLockPatienceNs);
  if (tables.held()) {
    shm::leave_mutex_seat(tables, lane_.view().index_of(seat_));
  } else {
    lane_.leave_to_burial();
  }
}

bool Mutex::unlock_slowly() {
  if (shm::unlock_mutex(lane_.view(), record_, me_)) return true;
  lane_.mark_fenced();
  return false;
}

void Mutex::discard() {
  if (state_ == State::kWaiting) cancel_wait();
  if (state_ == State::kHeld) unlock();
}

Value Mutex::value() const {
  return {shm::load_value(record_).version(), shm::value_bytes(lane_.view(), record_)};
}

Status Mutex::commit(std::string_view bytes) {
  if (!lane_.usable()) return lane_.unusable_status();
  // Who was buried while it held the lock must not write where another one may be writing.
  if (shm::load_mutex(record_).owner() != me_) {
    lane_.mark_fenced();
    return Status::kFenced;
  }
  if (bytes.size() > limit_bytes()) return Status::kTooLarge;
  switch (shm::commit_value(lane_.view(), record_, lane_.lock_context(), bytes)) {
    case shm::CommitResult::kOk:
      return Status::kOk;
    case shm::CommitResult::kNoUnits:
      return Status::kCapacity;
    case shm::CommitResult::kTimeout:
      break;
  }
  return Status::kUnavailable;
}

bool Mutex::copy_value(std::string* bytes, uint64_t* version) const {
  shm::ValueWord word;
  if (!shm::copy_value(lane_.view(), record_, bytes, &word)) return false;
  if (version != nullptr) *version = word.version();
  return true;
}

uint32_t Mutex::waiters() const { return shm::count_lock_waiters(lane_.view(), record_); }

std::string Mutex::describe(Status outcome) const {
  const Process& process = lane_.process();
  const auto reason = [&]() -> std::string {
    switch (outcome) {
      case Status::kTimeout:
        return "the lock was not free within " + std::to_string(waited_ns_ / shm::kNanosPerMilli) +
               " ms";
      case Status::kSaturated:
        return "somebody has the lock";
      case Status::kDeadlock:
        return ring_.empty() ? "this worker has the lock already and would wait for itself"
                             : "the wait would never end: " + ring_;
      case Status::kCorrupted:
        return "corrupted: a worker died while it had the lock; the value is as it was last "
               "committed; remove the name and create it again, or reset it (oxpoolctl mutex "
               "reset)";
      case Status::kRemoved:
        return "the name was removed; ask for it again";
      case Status::kCapacity:
        return state_ == State::kHeld ? "capacity exceeded: no room for the value; " +
                                            process.way_to_more("value_bytes")
                                      : "capacity exceeded: no ticket left to wait with; " +
                                            process.way_to_more("extra_tickets");
      case Status::kTooLarge:
        return "the value is above the limit of " + std::to_string(limit_bytes()) + " bytes; " +
               process.way_to_more("value_limit");
      case Status::kUnavailable:
        return "a lock of the segment could not be had within " +
               std::to_string(shm::kLockPatienceNs / shm::kNanosPerMilli) +
               " ms; is a worker stopped inside it?";
      default:
        return "the wait was ended";
    }
  };
  return "mutex '" + name() + "': " + reason();
}

}  // namespace oxpool
