#include "client/lane.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client/acquire.h"
#include "client/local_duties.h"
#include "client/mutex.h"
#include "client/pool.h"
#include "shm/lane.h"
#include "shm/locks.h"
#include "shm/queue.h"
#include "shm/seat.h"

namespace oxpool {

namespace {

// Values of LaneRecord::attention besides 0. A lane that has duties is asked to attend at every
// call: so they cost nothing where there is a daemon.
constexpr uint32_t kFlagged = 1;
constexpr uint32_t kHasDuties = 2;

// A name as a sentence can carry it: printable, bounded.
std::string quoted(std::string_view name) {
  std::string result = "'";
  for (const char c : name.substr(0, 80)) {
    result += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  }
  return result + (name.size() > 80 ? "…'" : "'");
}

const std::string kNoLock = "a lock of the segment could not be had within " +
                            std::to_string(shm::kLockPatienceNs / shm::kNanosPerMilli) +
                            " ms; is a worker stopped inside it?";

Error pool_error(shm::PoolResult result, std::string_view name, const shm::PoolRequest& request,
                 const Process& process) {
  const shm::SegmentView& view = process.view();
  const std::string pool = "pool " + quoted(name) + ": ";
  switch (result) {
    case shm::PoolResult::kOk:
      return Error::ok();
    case shm::PoolResult::kNoPool:
      return Error::make(Status::kCapacity, pool + "capacity exceeded: all " +
                                                std::to_string(view.count(shm::kPoolTable)) +
                                                " pool records are in use; " +
                                                process.way_to_more("pools"));
    case shm::PoolResult::kNoChunk:
      return Error::make(Status::kCapacity, pool + "capacity exceeded: no room for " +
                                                std::to_string(request.max_size) +
                                                " slots; lower maxSize, or " +
                                                process.way_to_more("chunks"));
    case shm::PoolResult::kTooLarge:
      return Error::make(Status::kCapacity,
                         pool + "capacity exceeded: maxSize " + std::to_string(request.max_size) +
                             " is more than the " + std::to_string(shm::kMaxSlotsPerPool) +
                             " slots that a pool can have");
    case shm::PoolResult::kNoSeat:
      return Error::make(Status::kCapacity, pool + "capacity exceeded: all " +
                                                std::to_string(view.count(shm::kSeatTable)) +
                                                " seats are taken; " +
                                                process.way_to_more("seats"));
    case shm::PoolResult::kWrongType:
      return Error::make(Status::kWrongType, pool + "the name is a mutex's");
    case shm::PoolResult::kTimeout:
      return Error::make(Status::kUnavailable, pool + kNoLock);
  }
  return Error::make(Status::kCapacity, pool + "unknown result");
}

Error mutex_error(shm::MutexResult result, std::string_view name, const shm::MutexRequest& request,
                  const Process& process) {
  const shm::SegmentView& view = process.view();
  const std::string mutex = "mutex " + quoted(name) + ": ";
  const std::string initial =
      "an initial value of " + std::to_string(request.initial.size()) + " bytes";
  switch (result) {
    case shm::MutexResult::kOk:
      return Error::ok();
    case shm::MutexResult::kNoMutex:
      return Error::make(Status::kCapacity, mutex + "capacity exceeded: all " +
                                                std::to_string(view.count(shm::kMutexTable)) +
                                                " mutex records are in use; " +
                                                process.way_to_more("mutexes"));
    case shm::MutexResult::kNoSeat:
      return Error::make(Status::kCapacity, mutex + "capacity exceeded: all " +
                                                std::to_string(view.count(shm::kMutexSeatTable)) +
                                                " seats at mutexes are taken; " +
                                                process.way_to_more("mutex_seats"));
    case shm::MutexResult::kNoUnits:
      return Error::make(Status::kCapacity, mutex + "capacity exceeded: no room for " + initial +
                                                "; " + process.way_to_more("value_bytes"));
    case shm::MutexResult::kTooLarge:
      return Error::make(Status::kTooLarge, mutex + initial + " is above the limit of " +
                                                std::to_string(shm::value_limit_bytes(view)) +
                                                "; " + process.way_to_more("value_limit"));
    case shm::MutexResult::kNoSuchName:
      return Error::make(Status::kRemoved, mutex + "there is none of that name any more");
    case shm::MutexResult::kWrongType:
      return Error::make(Status::kWrongType, mutex + "the name is a pool's");
    case shm::MutexResult::kTimeout:
      break;
  }
  return Error::make(Status::kUnavailable, mutex + kNoLock);
}

}  // namespace

Lane::Lane(Process& process) : process_(process) {
  if (process.local_host() != nullptr) {
    duties_ = std::make_unique<LocalDuties>(process.local_host());
  }
}

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
                           " lanes of the segment are in use; " + process.way_to_more("lanes"));
  }
  std::unique_ptr<Lane> lane(new Lane(process));
  lane->id_ = id;
  lane->record_ = process.view().lane(id.lane());
  if (lane->duties_ != nullptr) lane->attend();
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
  if (!left_to_burial_) shm::close_lane(view(), id_);
}

bool Lane::attend() {
  if (duties_ != nullptr) duties_->run();
  // Acquire: whatever led to the flag is seen.
  const uint32_t resting = duties_ != nullptr ? kHasDuties : 0;
  return record_->attention.exchange(resting, std::memory_order_acq_rel) == kFlagged;
}

void Lane::cancel_waits() {
  while (waits_ != nullptr) waits_->cancel();
  while (!mutex_waits_.empty()) mutex_waits_.back()->cancel_wait();
}

uint32_t Lane::take_ticket() {
  const uint32_t own = id_.lane();
  const shm::TicketRecord& ticket = *view().ticket(own);
  bool taken = ticket.queue_pool.load(std::memory_order_acquire) != 0 ||
               ticket.queue_mutex.load(std::memory_order_acquire) != 0;
  for (const Acquire* wait = waits_; wait != nullptr && !taken; wait = wait->older_) {
    taken = wait->ticket_ == own;
  }
  if (!taken) return own;
  for (uint32_t& left : left_tickets_) {
    if (view().ticket(left)->queue_pool.load(std::memory_order_acquire) != 0) continue;
    const uint32_t extra = std::exchange(left, left_tickets_.back());
    left_tickets_.pop_back();
    return extra;
  }
  return shm::claim_extra_ticket(view(), id_);
}

void Lane::drop_ticket(uint32_t ticket) {
  if (ticket != id_.lane()) shm::release_ticket(view(), ticket);
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
  bool changed = false;
  {
    shm::TableLock tables(view(), lock_context(), shm::kLockPatienceNs);
    shm::PoolResult outcome = shm::PoolResult::kTimeout;
    if (tables.held()) {
      outcome = shm::find_or_make_pool(tables, name, request, now_ns, &pool_index);
      if (outcome == shm::PoolResult::kOk) {
        outcome = shm::take_seat(tables, pool_index, id_, &seat_index);
      }
      if (outcome == shm::PoolResult::kOk) {
        changed = ask_for_settings(*view().pool(pool_index), request, now_ns, &differs);
      }
    }
    if (Error error = pool_error(outcome, name, request, process_)) return error;
  }
  if (disagreed != nullptr) *disagreed = differs;
  shm::PoolRecord& record = *view().pool(pool_index);
  std::unique_ptr<Pool> pool(new Pool(*this, record, *view().seat(seat_index)));
  settle_cap(record, changed);
  *result = std::move(pool);
  return Error::ok();
}

// True: another cap is wanted than before.
bool Lane::ask_for_settings(shm::PoolRecord& record, const shm::PoolRequest& request,
                            int64_t now_ns, bool* differs) {
  const uint32_t wanted_before = shm::wanted_cap(record);
  const uint64_t serial =
      view().process(process_.index())->started_serial.load(std::memory_order_relaxed);
  shm::request_settings(record, request, serial, now_ns, differs);
  return shm::wanted_cap(record) != wanted_before;
}

// Who changed it looks under the lock: somebody inside may be about to bring into force, and store,
// what was wanted before.
void Lane::settle_cap(shm::PoolRecord& record, bool changed) {
  if (!changed && record.cap.load(std::memory_order_relaxed) == shm::wanted_cap(record)) return;
  {
    shm::PoolLock lock(view(), record, lock_context(), shm::kLockPatienceNs);
    // Not in time: whoever next serves the queue brings the cap in line.
    if (lock.held()) shm::serve(lock);
  }
  // What is above a lowered cap was flagged, whoever has it.
  if (shm::load_pressure(record).excess() > 0) process_.ask_for_wakes();
}

Error Lane::request_settings(Pool& pool, const shm::PoolRequest& request) {
  if (!still_usable()) return Error::make(unusable_status(), "this attachment is over");
  shm::PoolRecord& record = pool.record();
  bool changed = false;
  {
    shm::TableLock tables(view(), lock_context(), shm::kLockPatienceNs);
    const shm::PoolResult outcome = tables.held()
                                        ? shm::reserve_slots(tables, record, request.max_size)
                                        : shm::PoolResult::kTimeout;
    if (Error error = pool_error(outcome, pool.name(), request, process_)) return error;
    bool differs;
    changed = ask_for_settings(record, request, process_.shared_coarse_ns(), &differs);
  }
  settle_cap(record, changed);
  return Error::ok();
}

Error Lane::attach_mutex(std::string_view name, const shm::MutexRequest& request,
                         std::unique_ptr<Mutex>* result, bool* made) {
  if (!still_usable()) return Error::make(unusable_status(), "this attachment is over");
  if (name.empty() || name.size() > shm::kNameBytes) {
    return Error::make(Status::kCapacity, "mutex " + quoted(name) + ": a mutex's name has 1 to " +
                                              std::to_string(shm::kNameBytes) +
                                              " bytes, this one has " +
                                              std::to_string(name.size()));
  }
  process_.tend_session();
  uint32_t mutex_index = shm::kNoIndex;
  uint32_t seat_index = shm::kNoIndex;
  {
    shm::TableLock tables(view(), lock_context(), shm::kLockPatienceNs);
    shm::MutexResult outcome = shm::MutexResult::kTimeout;
    if (tables.held()) {
      outcome = shm::find_or_make_mutex(tables, name, request, process_.shared_coarse_ns(),
                                        &mutex_index, made);
      if (outcome == shm::MutexResult::kOk) {
        outcome = shm::take_mutex_seat(tables, mutex_index, id_, &seat_index);
        if (outcome != shm::MutexResult::kOk) {
          shm::remove_mutex_unless_pinned(tables, *view().mutex(mutex_index));
        }
      }
    }
    if (Error error = mutex_error(outcome, name, request, process_)) return error;
  }
  result->reset(new Mutex(*this, *view().mutex(mutex_index), *view().mutex_seat(seat_index)));
  return Error::ok();
}

template <typename Work>
Error Lane::with_tables(Work work) {
  if (!still_usable()) return Error::make(unusable_status(), "this attachment is over");
  process_.tend_session();
  shm::TableLock tables(view(), lock_context(), shm::kLockPatienceNs);
  if (!tables.held()) return Error::make(Status::kUnavailable, kNoLock);
  work(tables);
  return Error::ok();
}

Error Lane::remove_name(std::string_view name, bool* removed) {
  return with_tables(
      [&](const shm::TableLock& tables) { *removed = shm::remove_name(tables, name); });
}

Error Lane::given_names(std::vector<std::string>* names) {
  return with_tables([&](const shm::TableLock& tables) { *names = shm::given_names(tables); });
}

Error Lane::count_registry(shm::RegistryTotals* totals) {
  return with_tables([&](const shm::TableLock& tables) { *totals = shm::count_registry(tables); });
}

}  // namespace oxpool
