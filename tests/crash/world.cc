#include "tests/crash/world.h"

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/mutex_inspection.h"
#include "shm/queue.h"
#include "shm/slot.h"
#include "shm/snapshot.h"
#include "shm/token.h"

namespace oxpool::crash {

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "crash harness: %s\n", message.c_str());
  std::exit(2);
}

// Small: the whole of it is copied for each kill.
constexpr shm::SegmentSizes kSizes = {.processes = 16,
                                      .lanes = 16,
                                      .extra_tickets = 8,
                                      .pools = 4,
                                      .seats = 16,
                                      .chunks = 4,
                                      .places = 16,
                                      .mutexes = 4,
                                      .mutex_seats = 8,
                                      .value_bytes = 32 * shm::kUnitBytes};

constexpr auto kLive = static_cast<uint32_t>(shm::RecordState::kLive);

}  // namespace

Worker::Worker(const std::string& runtime_dir, const std::string& pool_name, uint32_t max_size) {
  ProcessOptions options;
  options.runtime_dir = runtime_dir;
  if (Error error = Process::attach(options, &process)) fail(error.message);
  if (Error error = Lane::open(*process, &lane)) fail(error.message);
  if (pool_name.empty()) return;
  shm::PoolRequest request;
  request.max_size = max_size;
  request.patience_ms = 0;
  if (Error error = lane->attach_pool(pool_name, request, &pool)) fail(error.message);
}

bool Worker::take() {
  Acquire attempt(*pool, 0, shm::monotonic_ns());
  for (;;) {
    const Acquire::Step step = attempt.step(0);
    if (step.next == Next::kClose) {
      pool->finish_close(*step.slot);
      continue;
    }
    if (step.next == Next::kMint) pool->minted(*step.slot, 1000);
    if (step.next != Next::kMint && step.next != Next::kReuse) return false;
    held.push_back(step.slot);
    return true;
  }
}

bool Worker::join(int64_t timeout_ns) {
  acquire = std::make_unique<Acquire>(*pool, timeout_ns, shm::monotonic_ns());
  return acquire->step(0).next == Next::kWait;
}

bool Worker::served() {
  const Acquire::Step step = acquire->step(0);
  if (step.next != Next::kMint) return false;
  pool->minted(*step.slot, 1000);
  held.push_back(step.slot);
  acquire.reset();
  return true;
}

void Worker::open_mutex(const shm::MutexRequest& request) {
  if (Error error = lane->attach_mutex(World::kMutex, request, &mutex)) fail(error.message);
  mutex->set_spins(0);  // how often would be another number each time
}

void Worker::stand_in_line(bool asks) {
  const uint32_t ticket = lane->id().lane();
  shm::join_mutex(lane->view(), mutex->record(),
                  {ticket, lane->id(), shm::monotonic_ns(), shm::kNoDeadline});
  in_line = true;
  shm::WaitWord sleep_on;
  bool first;
  shm::look_at_mutex(lane->view(), mutex->record(), ticket, asks, &sleep_on, &first);
}

bool Worker::has_mutex() {
  if (!in_line) return false;
  const uint32_t ticket = lane->id().lane();
  shm::WaitWord sleep_on;
  bool first;
  if (shm::look_at_mutex(lane->view(), mutex->record(), ticket, false, &sleep_on, &first) !=
      shm::Turn::kLocked) {
    return false;
  }
  shm::leave_mutex_queue(lane->view(), mutex->record(), ticket);
  in_line = false;
  return true;
}

void Worker::drop_all() {
  if (mutex != nullptr) {
    mutex->discard();
    if (has_mutex()) shm::unlock_mutex(lane->view(), mutex->record(), lane->id());
    if (in_line) shm::give_up_mutex(lane->view(), mutex->record(), lane->id().lane());
    in_line = false;
    shm::unlock_mutex(lane->view(), mutex->record(), lane->id());
  }
  acquire.reset();
  for (LocalSlot* slot : held) {
    if (pool->begin_close(*slot, shm::CloseReason::kDiscard)) pool->finish_close(*slot);
  }
  held.clear();
  while (pool != nullptr) {
    LocalSlot* idle = pool->take_idle(shm::CloseReason::kEvict);
    if (idle == nullptr) break;
    pool->finish_close(*idle);
  }
}

World::World() : server_(kSizes), lock_path_(server_.lock_path()) {
  if (shm::Error error = shm::take_token(lock_path_, shm::kDaemonProcess, &daemon_token_)) {
    fail(error.message);
  }
  daemon_incarnation_ =
      shm::publish_process(view(), shm::kDaemonProcess, 1, 0, "daemon", shm::monotonic_ns());
  daemon_lane_ =
      shm::open_lane_at(view(), shm::kDaemonLane, shm::kDaemonProcess, daemon_incarnation_, 1);
  daemon_liveness_ = shm::Liveness(view(), daemon_token_, shm::kDaemonProcess, daemon_incarnation_);
  const auto* base = reinterpret_cast<const char*>(&view().header());
  pristine_.assign(base, base + view().bytes());
}

void World::reset() {
  for (auto& worker : survivors_) {
    worker->mutex.reset();
    worker->acquire.reset();
    worker->pool.reset();
    worker->lane.reset();
  }
  survivors_.clear();
  std::memcpy(static_cast<void*>(&view().header()), pristine_.data(), pristine_.size());
}

Worker& World::survivor(const std::string& pool_name, uint32_t max_size) {
  survivors_.push_back(std::make_unique<Worker>(runtime_dir(), pool_name, max_size));
  return *survivors_.back();
}

shm::PoolRecord& World::pool(const std::string& name) {
  for (uint32_t i = 0; i < view().count(shm::kPoolTable); ++i) {
    shm::PoolRecord& pool = *view().pool(i);
    if (pool.state == kLive && shm::pool_name(pool) == name) return pool;
  }
  fail("no pool " + name);
}

Worker& World::mutex_survivor(const shm::MutexRequest& request) {
  Worker& worker = survivor("", 0);
  worker.open_mutex(request);
  return worker;
}

shm::MutexRecord* World::mutex() {
  shm::MutexRecord* found = nullptr;
  shm::for_each_live_mutex(view(), [&](shm::MutexRecord& mutex) {
    if (shm::mutex_name(mutex) == kMutex && (mutex.naming & shm::kNameRemoved) == 0) found = &mutex;
  });
  return found;
}

bool World::is_survivor(uint32_t process) const {
  for (const auto& worker : survivors_) {
    if (worker->process->index() == process) return true;
  }
  return false;
}

// The token of a killed process may live a moment longer in the server's own copy on its way over.
bool World::bury(const shm::LockContext& context, uint32_t process) {
  const uint64_t incarnation = view().process(process)->incarnation;
  const int64_t deadline_ns = shm::monotonic_ns() + 5 * shm::kNanosPerSecond;
  while (!daemon_liveness_.process_dead(process, incarnation)) {
    if (shm::monotonic_ns() > deadline_ns) return false;
    sched_yield();
  }
  return shm::bury_process(view(), context, process, incarnation, shm::monotonic_ns()).complete;
}

bool World::bury_the_dead() {
  const shm::LockContext context{daemon_lane_, &daemon_liveness_};
  bool complete = true;
  for (uint32_t i = 1; i < view().high_water(shm::kProcessTable); ++i) {
    if (view().process(i)->incarnation == 0 || is_survivor(i)) continue;
    complete = bury(context, i) && complete;
  }
  // A lock that a dead one left is repaired by whoever takes it next; maybe nobody had to yet.
  { shm::TableLock tables(view(), context, shm::kLockPatienceNs); }
  { shm::ValueLock values(view(), context, shm::kLockPatienceNs); }
  for (uint32_t i = 0; i < view().high_water(shm::kPoolTable); ++i) {
    shm::PoolRecord& pool = *view().pool(i);
    if (pool.state != kLive) continue;
    shm::PoolLock lock(view(), pool, context, shm::kLockPatienceNs);
    complete = complete && lock.held();
  }
  return complete;
}

std::string World::check_pool(const shm::PoolRecord& pool) const {
  uint32_t units = 0;
  uint32_t free = 0;
  std::string wrong;
  shm::for_each_slot(view(), pool, [&](uint32_t index, shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (word.state() != shm::SlotState::kRetired) ++units;
    if (word.state() == shm::SlotState::kFree) ++free;
    if (word.owned() && daemon_liveness_.dead(word.owner())) {
      wrong += "slot " + std::to_string(index) + " belongs to a dead lane; ";
    }
  });
  const shm::PressureWord pressure = shm::load_pressure(pool);
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < view().count(shm::kTicketTable); ++i) {
    const shm::TicketRecord& ticket = *view().ticket(i);
    const shm::WaitWord wait{ticket.wait_word.load()};
    if (ticket.queue_pool == view().index_of(pool) + 1 &&
        wait.state() == shm::WaitState::kWaiting) {
      ++waiting;
    }
  }
  const uint32_t cap = pool.cap;  // what is wanted beyond it comes into force at the next attach
  if (units != cap + pressure.excess()) {
    wrong += std::to_string(units) + " units for a cap of " + std::to_string(cap) + "; ";
  }
  if (pressure.waiting() != waiting) {
    wrong += "pressure says " + std::to_string(pressure.waiting()) + " waiting, tickets say " +
             std::to_string(waiting) + "; ";
  }
  if (waiting > 0 && free > 0) wrong += "a unit is free while somebody waits; ";
  if (shm::RobustMutex::holder(pool.lock)) wrong += "the pool's lock is still held; ";
  return wrong;
}

// Everything comes back, and the whole cap, no more, can be taken by one newcomer.
std::string World::check_everything_can_be_taken() {
  std::string wrong;
  for (uint32_t i = 0; i < view().high_water(shm::kPoolTable); ++i) {
    shm::PoolRecord& pool = *view().pool(i);
    if (pool.state != kLive) continue;
    // Nobody can come to a pool whose name was removed; with no seat left it only lingers.
    if ((pool.naming & shm::kNameRemoved) != 0) {
      if (pool.seats != 0) wrong += "a removed pool keeps a seat; ";
      continue;
    }
    const uint32_t cap = shm::wanted_cap(pool);
    Worker newcomer(runtime_dir(), shm::pool_name(pool), cap);
    uint32_t taken = 0;
    while (taken <= cap && newcomer.take()) ++taken;
    if (taken != cap) {
      wrong += "a newcomer got " + std::to_string(taken) + " of " + std::to_string(cap) + "; ";
    }
    newcomer.drop_all();
    // The records are compared by id: each process maps the segment elsewhere.
    uint32_t seats = 1;
    for (const auto& worker : survivors_) {
      if (worker->pool != nullptr && worker->pool->id() == pool.id) ++seats;
    }
    if (pool.seats != seats) {
      wrong += "pool counts " + std::to_string(pool.seats) + " seats where there are " +
               std::to_string(seats) + "; ";
    }
  }
  return wrong;
}

uint32_t World::survivors_at(const shm::MutexRecord& mutex) const {
  uint32_t seats = 0;
  for (const auto& worker : survivors_) {
    if (worker->mutex != nullptr && worker->mutex->id() == mutex.id) ++seats;
  }
  return seats;
}

// Every unit is free or exactly one copy's, no dead one has anything, and the records are whole.
std::string World::check_mutexes() {
  std::string wrong;
  uint32_t units = 0;
  std::vector<bool> owned(view().count(shm::kUnitTable));
  for (uint32_t i = 0; i < view().count(shm::kMutexTable); ++i) {
    const shm::MutexRecord& mutex = *view().mutex(i);
    if (mutex.state != kLive && mutex.state != 0) wrong += "a mutex record is half made; ";
    if (mutex.state == 0) continue;
    for (const shm::Word64& word : mutex.runs) {
      const shm::UnitRun run = shm::UnitRun::of(word);
      for (uint32_t unit = run.first; unit < run.first + run.units; ++unit) {
        if (owned[unit]) wrong += "unit " + std::to_string(unit) + " is in two copies; ";
        owned[unit] = true;
        ++units;
      }
    }
    if (const shm::OwnerId holder = shm::holder(mutex); holder && daemon_liveness_.dead(holder)) {
      wrong += "a dead lane has the mutex; ";
    }
    if (mutex.seats != survivors_at(mutex)) {
      wrong += "the mutex counts " + std::to_string(mutex.seats) + " seats where there are " +
               std::to_string(survivors_at(mutex)) + "; ";
    }
    if (mutex.seats == 0 && (mutex.naming & shm::kGivenName) == 0) {
      wrong += "a mutex that nobody is attached to and no name keeps; ";
    }
  }
  if (shm::used_units(view()) != units) {
    wrong += "the map has " + std::to_string(shm::used_units(view())) + " units, the mutexes " +
             std::to_string(units) + "; ";
  }
  for (uint32_t i = 0; i < view().count(shm::kTicketTable); ++i) {
    const shm::TicketRecord& ticket = *view().ticket(i);
    if (ticket.queue_mutex != 0 && daemon_liveness_.dead(shm::OwnerId{ticket.owner})) {
      wrong += "a dead lane's ticket waits for a mutex; ";
    }
  }
  if (shm::RobustMutex::holder(view().header().value_lock)) wrong += "the value lock is held; ";
  return wrong;
}

// Corrupted or not, it can be had, changed and given back in the end.
std::string World::check_mutex_is_usable(shm::MutexRecord& mutex) {
  std::string bytes;
  shm::ValueWord word;
  if (!shm::copy_value(view(), mutex, &bytes, &word)) return "the value can not be read; ";
  if (bytes.empty() || bytes.find_first_not_of(bytes[0]) != std::string::npos) {
    return "the value is torn; ";
  }
  if ((mutex.naming & shm::kNameRemoved) != 0) return "";
  shm::reset_mutex(mutex);
  Worker newcomer(runtime_dir(), "", 0);
  newcomer.open_mutex({});
  if (newcomer.mutex->lock(0) != Status::kOk) return "the mutex can not be had; ";
  if (newcomer.mutex->value().bytes != bytes) return "the value changed; ";
  if (newcomer.mutex->commit(std::string(700, 'z')) != Status::kOk) return "no room for a value; ";
  newcomer.mutex->unlock();
  return shm::holder(mutex) ? "the mutex is still held; " : "";
}

std::string World::check() {
  std::string wrong = check_mutexes();
  for (uint32_t i = 0; i < view().high_water(shm::kPoolTable); ++i) {
    const shm::PoolRecord& pool = *view().pool(i);
    if (pool.state == kLive) wrong += check_pool(pool);
    if (pool.state != kLive && pool.state != 0) wrong += "a pool record is half made; ";
  }
  if (shm::RobustMutex::holder(view().header().table_lock)) wrong += "the table lock is held; ";
  for (auto& worker : survivors_) worker->drop_all();
  shm::for_each_live_mutex(view(), [&](shm::MutexRecord& mutex) {
    if (wrong.empty()) wrong = check_mutex_is_usable(mutex);
  });
  if (wrong.empty()) wrong = check_everything_can_be_taken();
  return wrong;
}

}  // namespace oxpool::crash
