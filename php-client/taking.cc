#include "taking.h"

#include "closing.h"
#include "exception_classes.h"
#include "fitness.h"
#include "interrupts.h"
#include "life.h"
#include "minting.h"
#include "persistent_mint.h"
#include "sentence.h"
#include "shm/clock.h"

namespace oxpool::php {

namespace {

// An attachment can end under a call: by a burial, or because a signal handler forked. More often
// in one call is no accident.
constexpr int kMaxLives = 4;

enum class Outcome {
  kTaken,  // an idle one, or a new one
  kSaturated,
  kFailed,   // an exception is pending
  kNewLife,  // the attachment ended: begin anew
};

zend_class_entry* class_of(Next failure) {
  switch (failure) {
    case Next::kTimeout:
      return operation_timeout_exception;
    case Next::kDeadlock:
      return deadlock_exception;
    case Next::kCapacity:
    case Next::kCrowded:
      return capacity_exception;
    case Next::kClosed:
      return closed_exception;
    default:
      return shared_exception;
  }
}

zend_class_entry* class_of(Status failure) {
  switch (failure) {
    case Status::kCapacity:
      return capacity_exception;
    case Status::kClosed:
      return closed_exception;
    case Status::kTimeout:
      return operation_timeout_exception;
    case Status::kSaturated:
      return contention_exception;
    case Status::kDeadlock:
      return deadlock_exception;
    case Status::kCorrupted:
      return corrupted_mutex_exception;
    case Status::kRemoved:
      return stale_handle_exception;
    case Status::kTooLarge:
      return value_too_large_exception;
    case Status::kWrongType:
      return type_exception;
    default:
      return shared_exception;
  }
}

zend_class_entry* attach(PoolCore& core, Sentence* message) {
  Worker& worker = core.pool->worker;
  if (zend_class_entry* failure = attach(worker, message)) return failure;
  return attempt(worker.attach(*core.pool), message);
}

void describe(const Acquire& acquire, Next outcome, Sentence* message) {
  message->set(acquire.describe(outcome));
}

void leave_queue(void* argument) {
  auto* pending = static_cast<PendingAcquire*>(argument);
  if (pending->acquire.has_value()) pending->acquire->interrupt();
  Worker::here().end_acquire(*pending);
}

void run_between_slices(Worker& worker, PendingAcquire& pending) {
  close_flagged(worker);
  if (EG(exception) == nullptr) run_interrupts(leave_queue, &pending);
  if (EG(exception) != nullptr && pending.acquire.has_value()) pending.acquire->interrupt();
}

Outcome follow(PoolCore& core, PendingAcquire& pending, Holding** taken) {
  Worker& worker = core.pool->worker;
  bool waited = false;
  bool interruptible = false;
  for (;;) {
    const int64_t slice_ns = wait_slice_ns(*core.pool->budget, interruptible);
    const Acquire::Step step = pending.acquire->step(slice_ns);
    switch (step.next) {
      case Next::kReuse:
        worker.end_acquire(pending);
        *taken = &holding_of(*step.slot);
        if (UNEXPECTED((*taken)->state == HoldingState::kParked) && !reattach(core, **taken)) {
          return EG(exception) != nullptr ? Outcome::kFailed : Outcome::kNewLife;
        }
        (*taken)->state = HoldingState::kInUse;
        return Outcome::kTaken;
      case Next::kMint:
        worker.end_acquire(pending);
        switch (mint(core, *step.slot, taken)) {
          case Mint::kMade:
            return Outcome::kTaken;
          case Mint::kFailed:
            return Outcome::kFailed;
          case Mint::kNewLife:
            return Outcome::kNewLife;
        }
        break;
      case Next::kClose:
        close_taken(*step.slot);
        break;
      case Next::kWait:
        if (!waited) {
          waited = true;
          interruptible = signals_are_asynchronous();
        }
        run_between_slices(worker, pending);
        break;
      case Next::kSaturated:
        worker.end_acquire(pending);
        return Outcome::kSaturated;
      case Next::kLost:
        worker.end_acquire(pending);
        return Outcome::kNewLife;
      default: {
        Sentence message;
        describe(*pending.acquire, step.next, &message);
        worker.end_acquire(pending);
        zend_throw_exception(class_of(step.next), message.text, 0);
        return Outcome::kFailed;
      }
    }
    if (EG(exception) != nullptr || !pending.acquire.has_value()) {
      worker.end_acquire(pending);
      return EG(exception) != nullptr ? Outcome::kFailed : Outcome::kNewLife;
    }
  }
}

// Takes the warmest idle resource, be it parked, and asks about it. kSaturated: there is none, or
// (*unfit) it was no good.
Outcome take_validated(PoolCore& core, bool* unfit, Holding** taken) {
  WorkerPool& pool = *core.pool;
  LocalSlot* slot = pool.budget->take_warmest();
  if (slot == nullptr) return Outcome::kSaturated;
  Holding& holding = holding_of(*slot);
  if (holding.state == HoldingState::kParked && !reattach(core, holding)) {
    if (EG(exception) != nullptr) return Outcome::kFailed;
    if (!pool.worker.usable()) return Outcome::kNewLife;
    *unfit = true;
    return Outcome::kSaturated;
  }
  switch (validate(holding)) {
    case Fitness::kFit:
      pool.budget->hand_out(*slot);
      *taken = &holding;
      return Outcome::kTaken;
    case Fitness::kUnfit:
      *unfit = true;
      return Outcome::kSaturated;
    case Fitness::kGone:
      break;
  }
  return EG(exception) != nullptr ? Outcome::kFailed : Outcome::kNewLife;
}

// `again`: one was no good already, so past the deadline nothing more is tried, which the acquire
// says.
Outcome take_once(PoolCore& core, int64_t timeout_ns, int64_t started_ns, bool again,
                  Holding** taken) {
  WorkerPool& pool = *core.pool;
  const auto in_time = [&] {
    return timeout_ns <= 0 || shm::monotonic_ns() < shm::deadline_after(started_ns, timeout_ns);
  };
  while ((pool.validates || pool.parked > 0) && (!again || in_time())) {
    bool unfit = false;
    const Outcome outcome = take_validated(core, &unfit, taken);
    if (outcome != Outcome::kSaturated) return outcome;
    if (!unfit) break;
    again = true;
    if (!pool.worker.usable() || pool.budget == nullptr) return Outcome::kNewLife;
  }
  PendingAcquire& pending = pool.worker.begin_acquire(*pool.budget, timeout_ns, started_ns, again);
  if (timeout_ns != 0) {  // it may wait, and whoever looks from outside wants to know where
    pending.acquire->note_place(pool.worker.places.current(pool.worker.lane().view()));
  }
  return follow(core, pending, taken);
}

void note_place(const WorkerPool& pool, const Holding& holding) {
  if (holding.slot == nullptr || pool.budget == nullptr) return;
  pool.budget->note_place(*holding.slot, pool.worker.places.current(pool.worker.lane().view()));
}

}  // namespace

zend_class_entry* attempt(const Error& error, Sentence* message) {
  if (!error) return nullptr;
  message->set(error.message);
  return class_of(error.status);
}

zend_class_entry* attach(Worker& worker, Sentence* message) {
  return attempt(worker.attach(), message);
}

bool begin_call(PoolCore& core, uint32_t* closed) {
  Worker& worker = core.pool->worker;
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return false;
  Sentence message;
  if (zend_class_entry* failure = attach(core, &message)) {
    zend_throw_exception(failure, message.text, 0);
    return false;
  }
  const uint32_t flagged = close_flagged(worker);
  if (closed != nullptr) *closed = flagged;
  return EG(exception) == nullptr;
}

namespace {

Holding* take_since(PoolCore& core, int64_t timeout_ns, int64_t started_ns, bool again) {
  for (int lives = 0; lives < kMaxLives; ++lives) {
    if (!begin_call(core)) return nullptr;
    WorkerPool& pool = *core.pool;
    if (!pool.worker.usable() || pool.budget == nullptr) continue;
    Holding* taken = nullptr;
    switch (take_once(core, timeout_ns, started_ns, again, &taken)) {
      case Outcome::kTaken:
        if (pool.notes_places) note_place(pool, *taken);
        return taken;
      case Outcome::kSaturated:
      case Outcome::kFailed:
        return nullptr;
      case Outcome::kNewLife:
        break;
    }
  }
  zend_throw_exception(shared_exception,
                       "the attachment to oxpoold ended again and again during one call", 0);
  return nullptr;
}

}  // namespace

Holding* take_slowly(PoolCore& core, int64_t timeout_ns) {
  return take_since(core, timeout_ns, shm::monotonic_ns(), false);
}

Holding* take_with_a_look(PoolCore& core, int64_t timeout_ns) {
  WorkerPool& pool = *core.pool;
  const int64_t started_ns = timeout_ns > 0 ? shm::monotonic_ns() : 0;  // for a failed validation
  Holding* taken = nullptr;
  bool unfit = false;
  switch (take_validated(core, &unfit, &taken)) {
    case Outcome::kTaken:
      if (pool.notes_places) note_place(pool, *taken);
      return taken;
    case Outcome::kFailed:
      return nullptr;
    default:
      break;
  }
  return take_since(core, timeout_ns, started_ns != 0 ? started_ns : shm::monotonic_ns(), unfit);
}

}  // namespace oxpool::php
