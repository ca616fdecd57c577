#include "fitness.h"

#include "closing.h"
#include "error_log.h"
#include "life.h"
#include "persistent_mint.h"
#include "sentence.h"
#include "taking.h"

namespace oxpool::php {

using shm::CloseReason;

namespace {

void log_answer(const WorkerPool& pool, const char* who, const zval* answer) {
  Sentence what;
  what.set(std::string(who) + " returned " + zend_zval_type_name(answer) +
           " and the resource is closed; it must return true or false");
  log_about(pool, what.text);
}

// What is thrown is written to the log and gone, unless it is an exit().
void log_thrown(const WorkerPool& pool, const char* who) {
  zend_object* thrown = EG(exception);
  if (thrown == nullptr || is_unwinding(thrown)) return;
  EG(exception) = nullptr;
  Sentence what;
  what.set(std::string(who) + " threw, and the resource is closed");
  log_exception(pool, what.text, thrown);
  OBJ_RELEASE(thrown);
}

// Calls with the resource. The holding stays in use by this frame; when PHP jumps over it, the end
// of the request closes the resource.
CallEnd ask(Holding& holding, const Callback& callback, zval* answer) {
  zval resource;
  ZVAL_OBJ_COPY(&resource, holding.resource);
  holding.framed = true;
  const CallEnd end = call_userland(callback, 1, &resource, answer);
  Worker& worker = holding.pool->worker;
  if (worker.forked()) forget_parents_life(worker);
  holding.framed = false;
  if (end == CallEnd::kJumped) jump_on();
  zval_ptr_dtor(&resource);
  return end;
}

bool approves(Holding& holding, const Callback& callback, const char* who) {
  zval answer;
  switch (ask(holding, callback, &answer)) {
    case CallEnd::kReturned: {
      if (Z_TYPE(answer) == IS_REFERENCE) zend_unwrap_reference(&answer);
      const bool approved = Z_TYPE(answer) == IS_TRUE;
      if (!approved && Z_TYPE(answer) != IS_FALSE) log_answer(*holding.pool, who, &answer);
      zval_ptr_dtor(&answer);
      return approved;
    }
    case CallEnd::kThrew:
      log_thrown(*holding.pool, who);
      return false;
    default:
      log_about(*holding.pool, "PHP does not run code at this point; the resource is closed");
      return false;
  }
}

// What one asked about may have ended meanwhile.
bool is_gone(Holding& holding) {
  if (holding.state == HoldingState::kAbandoned) {
    remove_holding(holding);
    return true;
  }
  if (holding.slot != nullptr) return false;
  holding.state = HoldingState::kClosing;
  close_resource(holding);
  return true;
}

void close_unfit(Holding& holding, CloseReason reason) {
  if (!holding.pool->budget->reject(*holding.slot, reason)) holding.slot = nullptr;
  holding.state = HoldingState::kClosing;
  close_resource(holding);
}

bool is_to_be_validated(const Holding& holding) {
  const PoolCore& core = *holding.minter;
  return core.validate.given() &&
         holding.pool->budget->idle_ns(*holding.slot) >= core.validate_after_idle_ns;
}

}  // namespace

Fitness validate(Holding& holding) {
  holding.state = HoldingState::kInUse;
  if (!is_to_be_validated(holding)) return Fitness::kFit;
  const bool fit = approves(holding, holding.minter->validate, "validate");
  if (is_gone(holding)) return Fitness::kGone;
  if (fit && EG(exception) == nullptr) return Fitness::kFit;
  if (holding.outlives_request && EG(exception) == nullptr) {
    if (replace(holding, CloseReason::kValidate)) return Fitness::kFit;
  } else {
    close_unfit(holding, CloseReason::kValidate);
  }
  return EG(exception) == nullptr ? Fitness::kUnfit : Fitness::kGone;
}

bool reset(Holding& holding) {
  WorkerPool& pool = *holding.pool;
  if (!holding.minter->reset.given()) return true;
  Aside aside;  // an exception may be unwinding the stack that had the handle
  step_aside(&aside);
  zval ignored;
  const CallEnd end = ask(holding, holding.minter->reset, &ignored);
  if (end == CallEnd::kReturned) zval_ptr_dtor(&ignored);
  if (end == CallEnd::kThrew) log_thrown(pool, "reset");
  if (end == CallEnd::kRefused) log_about(pool, "reset was not run: PHP refuses to");
  zend_object* unwinding = EG(exception);  // only an exit() is left
  EG(exception) = nullptr;
  step_back(&aside, unwinding);
  if (is_gone(holding)) return false;
  if (end == CallEnd::kReturned && unwinding == nullptr) return true;
  close_in_use(holding, CloseReason::kReset);
  return false;
}

uint32_t sweep(PoolCore& core, const Callback& check, uint32_t limit) {
  const int64_t began_ns = shm::monotonic_ns();
  uint32_t closed = 0;
  for (uint32_t looked = 0; looked < limit && begin_call(core); ++looked) {
    WorkerPool& pool = *core.pool;
    if (!pool.worker.usable() || pool.budget == nullptr) break;
    const int64_t before_ns = began_ns + pool.worker.process().clock_offset_ns();
    LocalSlot* slot = pool.budget->take_to_check(before_ns);
    if (slot == nullptr) break;
    Holding& holding = holding_of(*slot);
    if (holding.state == HoldingState::kParked) {
      if (!reattach(core, holding)) {
        if (EG(exception) != nullptr) break;
        ++closed;
        continue;
      }
    }
    holding.state = HoldingState::kInUse;
    const bool fit = approves(holding, check, "the check of sweep()");
    if (is_gone(holding)) continue;
    if (!fit || EG(exception) != nullptr) {
      close_unfit(holding, CloseReason::kValidate);
      ++closed;
    } else {
      put_back(holding);
    }
    if (EG(exception) != nullptr) break;
  }
  return closed;
}

}  // namespace oxpool::php
