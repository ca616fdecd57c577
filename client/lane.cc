#include "client/lane.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "client/acquire.h"
#include "client/pool.h"
#include "shm/lane.h"
#include "shm/locks.h"
#include "shm/queue.h"
#include "shm/seat.h"

namespace oxpool {

namespace {

// A name as a sentence can carry it: printable, bounded.
std::string quoted(std::string_view name) {
  std::string result = "'";
  for (const char c : name.substr(0, 80)) {
    result += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  }
  return result + (name.size() > 80 ? "…'" : "'");
}

Error pool_error(shm::PoolResult result, std::string_view name, const shm::PoolRequest& request,
                 const shm::SegmentView& view) {
  const std::string pool = "pool " + quoted(name) + ": ";
  switch (result) {
    case shm::PoolResult::kOk:
      return Error::ok();
    case shm::PoolResult::kNoPool:
      return Error::make(Status::kCapacity,
                         pool + "capacity exceeded: all " +
                             std::to_string(view.count(shm::kPoolTable)) +
                             " pool records are in use; raise limits.pools in oxpoold.toml");
    case shm::PoolResult::kNoChunk:
      return Error::make(Status::kCapacity,
                         pool + "capacity exceeded: no room for " +
                             std::to_string(request.max_size) +
                             " slots; raise limits.chunks in oxpoold.toml or lower maxSize");
    case shm::PoolResult::kTooLarge:
      return Error::make(Status::kCapacity,
                         pool + "capacity exceeded: maxSize " + std::to_string(request.max_size) +
                             " is more than the " + std::to_string(shm::kMaxSlotsPerPool) +
                             " slots that a pool can have");
    case shm::PoolResult::kNoSeat:
      return Error::make(Status::kCapacity,
                         pool + "capacity exceeded: all " +
                             std::to_string(view.count(shm::kSeatTable)) +
                             " seats are taken; raise limits.seats in oxpoold.toml");
    case shm::PoolResult::kTimeout:
      return Error::make(Status::kUnavailable,
                         pool + "a lock of the segment could not be had within " +
                             std::to_string(shm::kLockPatienceNs / shm::kNanosPerMilli) +
                             " ms; is a worker stopped inside it?");
  }
  return Error::make(Status::kCapacity, pool + "unknown result");
}

}  // namespace

Error Lane::open(Process& process, std::unique_ptr<Lane>* result) {
  if (process.forked() || process.lost()) {
    return Error::make(process.forked() ? Status::kForked : Status::kFenced,
                       "this attachment is over");
  }
  const auto thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  const shm::OwnerId id =
      shm::open_lane(process.view(), process.index(), process.incarnation(), thread_id);
  if (!id) {
    return Error::make(Status::kCapacity,
                       "capacity exceeded: all " +
                           std::to_string(process.view().count(shm::kLaneTable)) +
                           " lanes of the segment are in use; raise limits.lanes in oxpoold.toml");
  }
  std::unique_ptr<Lane> lane(new Lane(process));
  lane->id_ = id;
  lane->record_ = process.view().lane(id.lane());
  *result = std::move(lane);
  return Error::ok();
}

Lane::~Lane() {
  cancel_waits();
  if (!still_usable()) return;  // the record may be another lane's by now
  for (const uint32_t ticket : left_tickets_) {
    if (view().ticket(ticket)->queue_pool.load(std::memory_order_acquire) == 0) {
      shm::release_ticket(view(), ticket);
    } else {
      leave_to_burial();
    }
  }
  if (!left_to_burial_) shm::close_lane(view(), id_.lane());
}

void Lane::cancel_waits() {
  while (waits_ != nullptr) waits_->cancel();
}

Error Lane::attach_pool(std::string_view name, const shm::PoolRequest& request,
                        std::unique_ptr<Pool>* result, bool* disagreed) {
  if (!still_usable()) return Error::make(unusable_status(), "this attachment is over");
  if (name.empty() || name.size() > shm::kNameBytes) {
    return Error::make(Status::kCapacity, "pool " + quoted(name) + ": a pool's name has 1 to " +
                                              std::to_string(shm::kNameBytes) +
                                              " bytes, this one has " +
                                              std::to_string(name.size()));
  }
  process_.tend_session();
  const int64_t now_ns = process_.shared_coarse_ns();
  uint32_t pool_index = shm::kNoIndex;
  uint32_t seat_index = shm::kNoIndex;
  bool differs = false;
  {
    shm::TableLock tables(view(), lock_context(), shm::kLockPatienceNs);
    shm::PoolResult outcome = shm::PoolResult::kTimeout;
    if (tables.held()) {
      outcome = shm::find_or_make_pool(tables, name, request, now_ns, &pool_index);
      if (outcome == shm::PoolResult::kOk) {
        outcome = shm::take_seat(tables, pool_index, id_, &seat_index);
      }
      if (outcome == shm::PoolResult::kOk) {
        const uint64_t serial =
            view().process(process_.index())->started_serial.load(std::memory_order_relaxed);
        shm::request_settings(*view().pool(pool_index), request, serial, now_ns, &differs);
      }
    }
    if (Error error = pool_error(outcome, name, request, view())) return error;
  }
  if (disagreed != nullptr) *disagreed = differs;
  shm::PoolRecord& record = *view().pool(pool_index);
  std::unique_ptr<Pool> pool(new Pool(*this, record, *view().seat(seat_index)));
  if (record.cap.load(std::memory_order_relaxed) != shm::wanted_cap(record)) {
    shm::PoolLock lock(view(), record, lock_context(), shm::kLockPatienceNs);
    // Not in time: whoever next serves the queue brings the cap in line.
    if (lock.held()) shm::serve(lock);
  }
  *result = std::move(pool);
  return Error::ok();
}

}  // namespace oxpool
