#include "closing.h"

#include <utility>

#include "error_log.h"
#include "handle_class.h"
#include "life.h"
#include "ownership.h"

namespace oxpool::php {

using shm::CloseReason;

namespace {

struct Destroyed {
  bool jumped = false;
  zend_object* unwinding = nullptr;  // an exit() to go on with
};

// Takes what was thrown off EG(exception).
void note_thrown(const WorkerPool& pool, const char* what, Destroyed* destroyed) {
  zend_object* thrown = EG(exception);
  EG(exception) = nullptr;
  if (thrown == nullptr) return;
  if (is_unwinding(thrown) && destroyed->unwinding == nullptr) {
    destroyed->unwinding = thrown;
    return;
  }
  if (!is_unwinding(thrown)) log_exception(pool, what, thrown);
  const CallEnd end = drop_object(thrown);
  if (end == CallEnd::kJumped) destroyed->jumped = true;
  if (end == CallEnd::kThrew) note_thrown(pool, "an exception's destructor threw", destroyed);
}

void note_end(const WorkerPool& pool, CallEnd end, const char* threw, const char* died,
              Destroyed* destroyed) {
  if (end == CallEnd::kThrew) note_thrown(pool, threw, destroyed);
  if (end == CallEnd::kJumped) {
    destroyed->jumped = true;
    log_about(pool, died);
  }
}

void call_destroy(Holding& holding, Destroyed* destroyed) {
  const Callback& destroy = holding.minter->destroy;
  if (!destroy.given()) return;
  zval argument;
  zval ignored;
  ZVAL_OBJ(&argument, holding.resource);
  const CallEnd end = call_userland(destroy, 1, &argument, &ignored);
  note_end(*holding.pool, end, "destroy threw", "destroy ended by a fatal error", destroyed);
  if (end == CallEnd::kRefused) log_about(*holding.pool, "destroy was not run: PHP refuses to");
  if (end != CallEnd::kReturned) return;
  note_end(*holding.pool, drop_value(&ignored), "a destructor threw after destroy",
           "a destructor ended by a fatal error after destroy", destroyed);
}

// Drops the pool's reference. True when somebody else still has the resource.
bool drop_resource(Holding& holding, Destroyed* destroyed) {
  zend_object* resource = holding.resource;
  holding.resource = nullptr;
  const bool kept = held_elsewhere(resource);
  note_end(*holding.pool, drop_object(resource), "the resource's destructor threw",
           "the resource's destructor ended by a fatal error", destroyed);
  return kept;
}

// The other end has hung up, or its time is over. False: the resource is still open in this
// process.
bool hung_up(Holding& holding, bool kept) {
  if (holding.hang_up == nullptr) return !kept;
  const uint32_t timeout_ms =
      holding.pool->budget != nullptr ? holding.pool->budget->close_wait_ms() : 0;
  return holding.hang_up->wait(timeout_ms) != HangUp::Outcome::kStillOpen;
}

constexpr const char* kStillUsed =
    "a resource was closed while other code still has it or something made from it; the pool "
    "does not count it any more";

}  // namespace

void close_resource(Holding& holding) {
  WorkerPool& pool = *holding.pool;
  Worker& worker = pool.worker;
  if (holding.handle != nullptr) detach_handle(holding);
  holding.framed = true;
  if (holding.slot != nullptr && !holding.slot->sockets.empty()) {
    holding.hang_up = std::make_unique<HangUp>(holding.slot->sockets);
  }

  Destroyed destroyed;
  Aside aside;
  step_aside(&aside);
  call_destroy(holding, &destroyed);
  if (worker.forked()) forget_parents_life(worker);
  bool kept = false;
  if (holding.state != HoldingState::kAbandoned) kept = drop_resource(holding, &destroyed);
  step_back(&aside, destroyed.unwinding);

  holding.framed = false;
  if (holding.state == HoldingState::kAbandoned) {
    remove_holding(holding);
  } else if (hung_up(holding, kept)) {
    finish(holding);
  } else if (worker.ending) {
    // Variables of the request that ends have it: it is closed for good when they are gone.
    holding.state = HoldingState::kLeaving;
    forget_minter(holding);
  } else {
    log_about(pool, kStillUsed);
    finish(holding);
  }
  if (destroyed.jumped) jump_on();
}

void finish(Holding& holding) {
  if (holding.slot != nullptr && holding.pool->budget != nullptr) {
    holding.pool->budget->finish_close(*holding.slot);
  }
  remove_holding(holding);
}

void free_unit(Holding& holding) {
  LocalSlot* slot = std::exchange(holding.slot, nullptr);
  Pool* budget = holding.pool->budget.get();
  if (slot == nullptr || budget == nullptr) return;
  switch (holding.state) {
    case HoldingState::kMinting:
      slot->resource = nullptr;
      budget->mint_failed(*slot);
      return;
    case HoldingState::kInUse:
      if (budget->begin_close(*slot, CloseReason::kRequestEnd)) budget->finish_close(*slot);
      return;
    case HoldingState::kIdle:
      // Its place in the idle stack is not known: all of them go, this one among them.
      while (LocalSlot* idle = budget->take_idle(CloseReason::kRequestEnd)) {
        holding_of(*idle).slot = nullptr;
        budget->finish_close(*idle);
      }
      return;
    case HoldingState::kClosing:
    case HoldingState::kLeaving:
      budget->finish_close(*slot);
      return;
    case HoldingState::kAbandoned:
      return;
  }
}

void give_up_mint(Holding& holding) {
  if (holding.slot != nullptr && holding.pool->budget != nullptr) {
    holding.slot->resource = nullptr;
    holding.pool->budget->mint_failed(*holding.slot);
  }
  remove_holding(holding);
}

void close_in_use(Holding& holding, CloseReason reason) {
  Worker& worker = holding.pool->worker;
  if (worker.forked()) {
    forget_parents_life(worker);
    return;
  }
  if (holding.slot != nullptr && !holding.pool->budget->begin_close(*holding.slot, reason)) {
    holding.slot = nullptr;  // buried meanwhile: the unit is somebody else's
  }
  holding.state = HoldingState::kClosing;
  close_resource(holding);
}

void close_taken(LocalSlot& slot) {
  Holding& holding = holding_of(slot);
  holding.state = HoldingState::kClosing;
  close_resource(holding);
}

void give_back(Holding& holding) {
  WorkerPool& pool = *holding.pool;
  Worker& worker = pool.worker;
  if (holding.handle != nullptr) detach_handle(holding);
  if (UNEXPECTED(worker.ending || pool.live_objects == 0)) {
    close_in_use(holding, worker.ending ? CloseReason::kRequestEnd : CloseReason::kPoolDropped);
    return;
  }
  if (UNEXPECTED(holding.slot == nullptr)) {
    close_in_use(holding, CloseReason::kNone);
    return;
  }
  switch (pool.budget->release(*holding.slot)) {
    case Release::kKept:
      holding.state = HoldingState::kIdle;
      close_flagged(worker);
      break;
    case Release::kClose:
      close_taken(*holding.slot);
      break;
    case Release::kLost:
      if (worker.forked()) {
        forget_parents_life(worker);
        return;
      }
      holding.slot = nullptr;
      close_in_use(holding, CloseReason::kNone);
      break;
  }
}

uint32_t close_idle(WorkerPool& pool, CloseReason reason) {
  if (pool.budget == nullptr) return 0;
  ++pool.pins;
  const zend_object* pending = EG(exception);
  const uint32_t there = pool.budget->idle_here();
  uint32_t closed = 0;
  // What a destroy callback gives back meanwhile is not ours to chase.
  while (closed < there && pool.budget != nullptr && EG(exception) == pending) {
    LocalSlot* slot = pool.budget->take_idle(reason);
    if (slot == nullptr) break;
    ++closed;
    close_taken(*slot);
  }
  --pool.pins;
  remove_if_unused(pool);
  return closed;
}

void close_flagged_ones(Worker& worker) {
  worker.lane().clear_attention();
  const zend_object* pending = EG(exception);
  WorkerPool* pool = worker.first_pool();
  while (pool != nullptr) {
    ++pool->pins;
    while (pool->budget != nullptr && EG(exception) == pending) {
      LocalSlot* slot = pool->budget->take_flagged();
      if (slot == nullptr) break;
      close_taken(*slot);
    }
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
}

}  // namespace oxpool::php
