#include "locked_call.h"

#include <utility>

#include "closing.h"
#include "exception_classes.h"
#include "interrupts.h"
#include "lent_value.h"
#include "life.h"
#include "return_value.h"
#include "shm/clock.h"
#include "taking.h"
#include "userland_call.h"
#include "worker.h"

namespace oxpool::php {

namespace {

// An attachment can end under a call: by a burial, or because a signal handler forked. More often
// in one call is no accident.
constexpr int kMaxLives = 4;

// Plain memory: PHP may jump over its frame.
struct LockedCall {
  WorkerMutex* mutex;
  Mutex* lock;  // null until the first attempt; stands until the frame ends
  int64_t timeout_ns;
  int64_t started_ns;
  zend_fcall_info* body;
  zend_fcall_info_cache* target;
  zval* result;
  zval value;  // a reference while the body runs, else undefined
};

Worker& worker_of(const LockedCall& call) { return call.mutex->worker; }

// --- getting the lock ---

// The lock or the value could not be had.
ZEND_COLD void throw_refusal(const LockedCall& call, Status status) {
  Sentence message;
  zend_class_entry* type = attempt(Error::make(status, call.lock->describe(status)), &message);
  zend_throw_exception(type, message.text, 0);
}

void leave_queue(void* argument) { static_cast<LockedCall*>(argument)->lock->discard(); }

// Runs what is pending between two slices of the wait. False: the wait is over.
bool run_between_slices(void* argument) {
  auto& call = *static_cast<LockedCall*>(argument);
  close_flagged(worker_of(call));  // others may wait for what is idle here
  if (EG(exception) == nullptr) run_interrupts(leave_queue, &call);
  // A handler may have forked: the place in the queue, and the lock once it comes, are the
  // parent's.
  return EG(exception) == nullptr && call.mutex->lock.get() == call.lock &&
         call.lock->lane().usable();
}

int64_t left_of_timeout_ns(const LockedCall& call) {
  if (call.timeout_ns <= 0) return call.timeout_ns;
  const int64_t left_ns =
      shm::deadline_after(call.started_ns, call.timeout_ns) - shm::monotonic_ns();
  return left_ns > 1 ? left_ns : 1;
}

// False with an exception pending.
bool take_lock(LockedCall& call) {
  for (int lives = 0; lives < kMaxLives; ++lives) {
    if (UNEXPECTED(call.mutex->lock == nullptr || !worker_of(call).usable())) {
      if (!begin_call(*call.mutex)) return false;
    }
    call.lock = call.mutex->lock.get();
    const Status status = call.lock->lock(lives == 0 ? call.timeout_ns : left_of_timeout_ns(call),
                                          run_between_slices, &call);
    if (EXPECTED(status == Status::kOk)) return true;
    switch (status) {
      case Status::kInterrupted:
        if (EG(exception) != nullptr) return false;
        break;
      case Status::kFenced:
      case Status::kForked:
        break;
      default:
        throw_refusal(call, status);
        return false;
    }
    if (EG(exception) != nullptr) return false;
  }
  zend_throw_exception(shared_exception,
                       "the attachment to oxpoold ended again and again during one call", 0);
  return false;
}

ZEND_COLD void throw_unreadable(LockedCall& call) {
  call.lock->unlock();
  Sentence message;
  message.set("mutex " + quoted(call.mutex->name) +
              ": its value can not be read: it was written by something else than this extension, "
              "or damaged. Remove the name, or reset it (oxpoolctl mutex reset)");
  zend_throw_exception(shared_exception, message.text, 0);
}

// --- the end of the closure ---

bool still_holds(const LockedCall& call) {
  return call.mutex->lock.get() == call.lock && call.lock->lane().usable() && call.lock->held();
}

void free_value(LockedCall& call) {
  zval value;
  ZVAL_COPY_VALUE(&value, &call.value);
  ZVAL_UNDEF(&call.value);
  zval_ptr_dtor(&value);
}

void keep_value(LockedCall& call) {
  keep_value(*call.mutex, &call.value, call.lock->value().version);
}

void drop_result(LockedCall& call) {
  zval result;
  ZVAL_COPY_VALUE(&result, call.result);
  ZVAL_UNDEF(call.result);
  zval_ptr_dtor(&result);
}

// Writes what the body left, unless it is what is there already.
Status write_value(LockedCall& call, std::string_view bytes) {
  if (bytes == call.lock->value().bytes) return Status::kOk;
  return call.lock->commit(bytes);
}

// The usual end. False: nothing has happened yet, and something is in the way.
bool end_at_once(LockedCall& call) {
  WorkerMutex& mutex = *call.mutex;
  if (UNEXPECTED(Z_TYPE_P(call.result) > IS_STRING)) return false;
  if (is_unchanged(mutex, Z_REFVAL(call.value))) {
    if (UNEXPECTED(!call.lock->unlock())) return false;
    free_value(call);
    return true;
  }
  ValueEncoder& encoder = mutex.worker.mutexes.encoder;
  if (encoder.encode(Z_REFVAL(call.value), call.lock->limit_bytes()) != Encoded::kOk) return false;
  if (UNEXPECTED(!encoder.plain())) return false;
  if (write_value(call, encoder.bytes()) != Status::kOk) return false;
  keep_value(call);
  if (UNEXPECTED(!call.lock->unlock())) {
    mutex.drop_kept();
    return false;
  }
  return true;
}

// The worker was taken for dead, or is a forked child: the lock and the value are not its own.
ZEND_COLD void end_lost(LockedCall& call) {
  const bool forked = worker_of(call).forked() || call.lock->lane().process().forked();
  free_value(call);
  if (EG(exception) == nullptr) drop_result(call);
  Sentence message;
  message.set("mutex " + quoted(call.mutex->name) +
              (forked
                   ? ": the process was forked inside the closure: the lock and the value are the "
                     "parent's, and nothing is committed here"
                   : ": this worker was taken for dead while its closure ran, and lost the lock; "
                     "what the closure did is not to be relied on"));
  zend_throw_exception(shared_exception, message.text, 0);
}

// exit(), or the end of a fiber: the request is not to be believed to be through with the value.
ZEND_COLD void end_unwinding(LockedCall& call) {
  call.lock->unlock();
  free_value(call);
}

struct Refusal {
  zend_class_entry* type = nullptr;
  Sentence message;
};

void refuse_value(const LockedCall& call, Encoded outcome, const ValueEncoder& encoder,
                  Refusal* refusal) {
  if (outcome == Encoded::kTooLarge) {
    refusal->type = value_too_large_exception;
    refusal->message.set(call.lock->describe(Status::kTooLarge));
    return;
  }
  refusal->type = type_exception;
  refusal->message.set("mutex " + quoted(call.mutex->name) + ": the value is non-serialisable: " +
                       encoder.refused().text() + "; it stays what it was");
}

void refuse_result(const LockedCall& call, const RefusedValue& refused, Refusal* refusal) {
  refusal->type = type_exception;
  refusal->message.set("mutex " + quoted(call.mutex->name) +
                       ": what the closure returned is non-serialisable: " + refused.text());
}

bool is_the_value(const LockedCall& call) {
  const zval* left = Z_REFVAL(call.value);
  return Z_TYPE_P(left) == IS_ARRAY && Z_TYPE_P(call.result) == IS_ARRAY &&
         Z_ARRVAL_P(left) == Z_ARRVAL_P(call.result);
}

void check_result(LockedCall& call, Refusal* refusal) {
  static thread_local RefusedValue refused;
  if (may_be_returned(call.result, &refused)) return;
  if (refusal->type == nullptr) refuse_result(call, refused, refusal);
}

void encode_value(LockedCall& call, Refusal* refusal) {
  ValueEncoder& encoder = worker_of(call).mutexes.encoder;
  const Encoded outcome = encoder.encode(Z_REFVAL(call.value), call.lock->limit_bytes());
  if (outcome != Encoded::kOk) refuse_value(call, outcome, encoder, refusal);
}

void commit_value(LockedCall& call, Refusal* refusal) {
  ValueEncoder& encoder = worker_of(call).mutexes.encoder;
  const Status status = write_value(call, encoder.bytes());
  if (status == Status::kOk) {
    if (encoder.plain()) keep_value(call);
    return;
  }
  refusal->type = attempt(Error::make(status, call.lock->describe(status)), &refusal->message);
}

// The same as end_at_once, whatever is in the way. In this order: encode the value; encode, or
// refuse and free, the return; commit; unlock; throw.
void end_with_care(LockedCall& call) {
  if (!still_holds(call)) return end_lost(call);
  Refusal refusal;
  encode_value(call, &refusal);
  const bool value_refused = refusal.type != nullptr;
  if (Z_TYPE_P(call.result) > IS_STRING && !is_the_value(call)) check_result(call, &refusal);
  if (refusal.type != nullptr && Z_TYPE_P(call.result) != IS_UNDEF) {
    drop_result(call);  // may run destructors: PHP code that uses other mutexes, forks, or jumps
    if (!still_holds(call)) return end_lost(call);
    if (EG(exception) != nullptr && is_unwinding(EG(exception))) return end_unwinding(call);
    if (!value_refused) {
      Refusal anew;
      encode_value(call, &anew);
      if (anew.type != nullptr)
        refusal = anew;
      else
        commit_value(call, &anew);
      if (anew.type != nullptr) refusal = anew;
    }
  } else if (!value_refused) {
    commit_value(call, &refusal);
  }
  if (refusal.type != nullptr && Z_TYPE_P(call.result) != IS_UNDEF) drop_result(call);
  if (!call.lock->unlock()) return end_lost(call);
  if (Z_TYPE(call.value) != IS_UNDEF) free_value(call);
  if (refusal.type != nullptr) zend_throw_exception(refusal.type, refusal.message.text, 0);
}

void run(void* argument) {
  auto& call = *static_cast<LockedCall*>(argument);
  if (UNEXPECTED(!take_lock(call))) return;
  if (UNEXPECTED(!lend_value(*call.mutex, call.lock->value(), &call.value))) {
    return throw_unreadable(call);
  }
  call.body->retval = call.result;
  call.body->params = &call.value;
  call.body->param_count = 1;
  zend_call_function(call.body, call.target);
  if (UNEXPECTED(Z_TYPE_P(call.result) == IS_REFERENCE)) zend_unwrap_reference(call.result);
  if (UNEXPECTED(!still_holds(call))) return end_lost(call);
  if (UNEXPECTED(EG(exception) != nullptr && is_unwinding(EG(exception)))) {
    return end_unwinding(call);
  }
  if (EXPECTED(end_at_once(call))) return;
  end_with_care(call);
}

}  // namespace

bool begin_call(WorkerMutex& mutex) {
  Worker& worker = mutex.worker;
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return false;
  Sentence message;
  zend_class_entry* failure = attach(worker, &message);
  if (failure == nullptr) failure = attempt(worker.mutexes.attach_again(mutex), &message);
  if (failure == nullptr) return true;
  zend_throw_exception(failure, message.text, 0);
  return false;
}

void call_locked(MutexCore& core, int64_t timeout_ns, zend_fcall_info* body,
                 zend_fcall_info_cache* target, zval* result) {
  WorkerMutex& mutex = *core.mutex;
  WorkerMutexes& mutexes = mutex.worker.mutexes;
  core.initial.clear();
  LockedCall call;
  call.mutex = &mutex;
  call.lock = nullptr;
  call.timeout_ns = timeout_ns;
  call.started_ns = timeout_ns > 0 ? shm::monotonic_ns() : 0;
  call.body = body;
  call.target = target;
  call.result = result;
  ZVAL_UNDEF(&call.value);
  mutexes.begin_frame(mutex);
  const CallEnd end = catch_jump(run, &call);
  if (UNEXPECTED(end == CallEnd::kJumped)) {
    if (call.lock != nullptr) call.lock->discard();
    mutexes.end_frame(mutex);
    jump_on();
  }
  mutexes.end_frame(mutex);
}

}  // namespace oxpool::php
