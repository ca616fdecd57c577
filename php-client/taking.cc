#include "taking.h"

#include "closing.h"
#include "exception_classes.h"
#include "interrupts.h"
#include "life.h"
#include "ownership.h"
#include "sentence.h"
#include "shm/clock.h"

namespace oxpool::php {

namespace {

// An attachment can end under a call: by a burial, or because a signal handler forked. More often
// in one call is no accident.
constexpr int kMaxLives = 4;

enum class Outcome {
  kTaken,
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
    default:
      return shared_exception;
  }
}

// Null, or the class of the exception to throw, with its message. Runs no PHP code.
zend_class_entry* attach(PoolCore& core, Sentence* message) {
  Worker& worker = core.pool->worker;
  Error error = worker.attach();
  if (!error) error = worker.attach(*core.pool);
  if (!error) return nullptr;
  message->set(error.message);
  return class_of(error.status);
}

void describe(const Acquire& acquire, Next outcome, Sentence* message) {
  message->set(acquire.describe(outcome));
}

void note_open_descriptors(Holding& holding) {
  if (holding.pool->budget->close_wait_ms() > 0) holding.descriptors_before = open_descriptors();
}

void note_sockets(Holding& holding) {
  if (holding.slot != nullptr && !holding.descriptors_before.empty()) {
    holding.slot->sockets = sockets_since(holding.descriptors_before);
  }
  holding.descriptors_before = {};
}

// The object that the factory returned, with a reference of its own; null when it returned none.
zend_object* object_of(zval* result) {
  ZVAL_DEREF(result);
  if (Z_TYPE_P(result) != IS_OBJECT) return nullptr;
  Z_ADDREF_P(result);
  return Z_OBJ_P(result);
}

void throw_not_an_object(const WorkerPool& pool, const zval* result) {
  Sentence message;
  message.set("pool " + quoted(pool.name) + ": the factory returned " +
              zend_zval_type_name(result) + "; it must return an object");
  zend_throw_exception(type_exception, message.text, 0);
}

void throw_refused() {
  zend_throw_exception(shared_exception, "PHP does not run code at this point", 0);
}

Outcome mint(PoolCore& core, LocalSlot& slot, Holding** taken) {
  WorkerPool& pool = *core.pool;
  Worker& worker = pool.worker;
  Holding& holding = add_holding(pool, pool.minter(core), slot);
  holding.framed = true;
  note_open_descriptors(holding);
  zval result;
  const int64_t started_ns = shm::monotonic_ns();
  const CallEnd end = call_userland(holding.minter->factory, 0, nullptr, &result);
  const int64_t factory_ns = shm::monotonic_ns() - started_ns;
  if (worker.forked()) forget_parents_life(worker);
  holding.framed = false;
  if (end != CallEnd::kReturned) {
    give_up_mint(holding);
    if (end == CallEnd::kJumped) jump_on();
    if (EG(exception) == nullptr) throw_refused();
    return Outcome::kFailed;
  }
  zend_object* resource = object_of(&result);
  if (resource == nullptr) {
    give_up_mint(holding);
    throw_not_an_object(pool, &result);
    zval_ptr_dtor(&result);
    return Outcome::kFailed;
  }
  zval_ptr_dtor(&result);
  if (holding.state == HoldingState::kAbandoned) {
    // The factory forked. Nobody knows whether it had connected before: the parent has it, if so.
    never_destroy(resource);
    remove_holding(holding);
    return Outcome::kNewLife;
  }
  holding.resource = resource;
  note_sockets(holding);
  if (holding.slot == nullptr || !pool.budget->minted(*holding.slot, factory_ns)) {
    holding.slot = nullptr;  // the attachment ended meanwhile, and the unit with it
    holding.state = HoldingState::kClosing;
    close_resource(holding);
    return EG(exception) != nullptr ? Outcome::kFailed : Outcome::kNewLife;
  }
  holding.state = HoldingState::kInUse;
  *taken = &holding;
  return Outcome::kTaken;
}

void run_between_slices(Worker& worker, PendingAcquire& pending) {
  close_flagged(worker);
  if (EG(exception) == nullptr) run_interrupts(worker, pending);
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
        (*taken)->state = HoldingState::kInUse;
        return Outcome::kTaken;
      case Next::kMint:
        worker.end_acquire(pending);
        return mint(core, *step.slot, taken);
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

}  // namespace

bool begin_call(PoolCore& core) {
  Worker& worker = core.pool->worker;
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return false;
  Sentence message;
  if (zend_class_entry* failure = attach(core, &message)) {
    zend_throw_exception(failure, message.text, 0);
    return false;
  }
  close_flagged(worker);
  return EG(exception) == nullptr;
}

Holding* take_slowly(PoolCore& core, int64_t timeout_ns) {
  const int64_t started_ns = shm::monotonic_ns();
  for (int lives = 0; lives < kMaxLives; ++lives) {
    if (!begin_call(core)) return nullptr;
    WorkerPool& pool = *core.pool;
    if (!pool.worker.usable() || pool.budget == nullptr) continue;
    PendingAcquire& pending = pool.worker.begin_acquire(*pool.budget, timeout_ns, started_ns);
    Holding* taken = nullptr;
    switch (follow(core, pending, &taken)) {
      case Outcome::kTaken:
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

}  // namespace oxpool::php
