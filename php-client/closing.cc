#include "closing.h"

#include <utility>

#include "error_log.h"
#include "fitness.h"
#include "handle_class.h"
#include "life.h"
#include "ownership.h"
#include "persistent_mint.h"
#include "persistent_slots.h"
#include "shm/clock.h"

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

CallEnd call_destroy(Holding& holding, Destroyed* destroyed) {
  if (holding.minter == nullptr || holding.resource == nullptr) return CallEnd::kReturned;
  const Callback& destroy = holding.minter->destroy;
  if (!destroy.given()) return CallEnd::kReturned;
  zval argument;
  zval ignored;
  ZVAL_OBJ(&argument, holding.resource);
  const CallEnd end = call_userland(destroy, 1, &argument, &ignored);
  note_end(*holding.pool, end, "destroy threw", "destroy ended by a fatal error", destroyed);
  if (end != CallEnd::kReturned) return end;
  note_end(*holding.pool, drop_value(&ignored), "a destructor threw after destroy",
           "a destructor ended by a fatal error after destroy", destroyed);
  return end;
}

// Some versions of PHP run no code between the memory limit and the end of the script; at the
// request's end they do again, unless the limit was hit there.
bool put_off(Holding& holding) {
  if (holding.state == HoldingState::kAbandoned) return false;
  if (holding.was_put_off) {
    log_about(*holding.pool, "destroy was not run: PHP refuses to");
    return false;
  }
  holding.was_put_off = true;
  holding.state = HoldingState::kPutOff;
  holding.framed = false;
  holding.hang_up.reset();
  return true;
}

// Drops the pool's reference. True when somebody else still has the resource.
bool drop_resource(Holding& holding, Destroyed* destroyed) {
  zend_object* resource = holding.resource;
  if (resource == nullptr) return false;
  if (!holding.entries.empty()) close_client(holding);
  holding.resource = nullptr;
  const bool kept = held_elsewhere(resource);
  note_end(*holding.pool, drop_object(resource), "the resource's destructor threw",
           "the resource's destructor ended by a fatal error", destroyed);
  return kept;
}

// One whose connection PHP keeps. It is shut down, whoever has an object of it; without sockets it
// is closed when its entry can be deleted.
bool persistent_one_hung_up(Holding& holding) {
  close_parked_siblings(holding);
  const bool gone = delete_entries(holding);
  if (holding.hang_up == nullptr) return gone;
  const Pool* budget = holding.pool->budget.get();
  holding.hang_up->shut_down(budget != nullptr ? budget->close_wait_ms() : 0);
  return true;
}

// The other end has hung up, or its time is over. False: the resource is still open in this
// process.
bool hung_up(Holding& holding, bool kept) {
  if (!holding.entries.empty()) return persistent_one_hung_up(holding);
  if (holding.hang_up == nullptr) return !kept;
  const uint32_t timeout_ms =
      holding.pool->budget != nullptr ? holding.pool->budget->close_wait_ms() : 0;
  return holding.hang_up->wait(timeout_ms) != HangUp::Outcome::kStillOpen;
}

bool close_or_keep_unit(Holding& holding, CloseReason reason, bool keep_unit);

constexpr const char* kStillUsed =
    "a resource was closed while other code still has it or something made from it; the pool "
    "does not count it any more";
// A program that does so does it at every close: a few times a minute are enough.
constexpr int64_t kStillUsedWindowNs = 60 * shm::kNanosPerSecond;
constexpr int kStillUsedInAWindow = 3;

void log_still_used(WorkerPool& pool) {
  const int64_t now_ns = shm::coarse_ns();
  if (now_ns >= pool.still_used_window_ends_ns) {
    pool.still_used_window_ends_ns = now_ns + kStillUsedWindowNs;
    pool.still_used_said = 0;
  }
  if (pool.still_used_said++ >= kStillUsedInAWindow) return;
  log_about(pool, kStillUsed);
}

}  // namespace

void close_resource(Holding& holding) { close_or_keep_unit(holding, CloseReason::kNone, false); }

void close_again(Holding& holding, CloseReason reason) {
  if (holding.slot != nullptr && !holding.pool->budget->reject(*holding.slot, reason)) {
    holding.slot = nullptr;
  }
  holding.state = HoldingState::kClosing;
  close_resource(holding);
}

bool close_but_keep_unit(Holding& holding, CloseReason reason) {
  if (holding.slot == nullptr) {
    close_again(holding, reason);
    return false;
  }
  holding.former_entries = holding.entries;
  return close_or_keep_unit(holding, reason, true);
}

namespace {
bool close_or_keep_unit(Holding& holding, CloseReason reason, bool keep_unit) {
  WorkerPool& pool = *holding.pool;
  Worker& worker = pool.worker;
  // Only a unit that is to be kept is in use still.
  const auto give_up_unit = [&] {
    if (keep_unit && holding.slot != nullptr && !pool.budget->reject(*holding.slot, reason)) {
      holding.slot = nullptr;
    }
    if (holding.state == HoldingState::kInUse) holding.state = HoldingState::kClosing;
    keep_unit = false;
  };
  if (holding.handle != nullptr) detach_handle(holding);
  holding.framed = true;
  if (holding.slot != nullptr && !holding.slot->sockets.empty()) {
    holding.hang_up = std::make_unique<HangUp>(holding.slot->sockets);
  }

  Destroyed destroyed;
  Aside aside;
  step_aside(&aside);
  const CallEnd destroy_end = call_destroy(holding, &destroyed);
  if (destroy_end == CallEnd::kRefused) give_up_unit();
  if (destroy_end == CallEnd::kRefused && put_off(holding)) {
    step_back(&aside, nullptr);
    return false;
  }
  if (worker.forked()) forget_parents_life(worker);
  bool kept = false;
  if (holding.state != HoldingState::kAbandoned) kept = drop_resource(holding, &destroyed);
  step_back(&aside, destroyed.unwinding);

  holding.framed = false;
  if (destroyed.jumped || EG(exception) != nullptr) give_up_unit();
  if (holding.state == HoldingState::kAbandoned) {
    remove_holding(holding);
    return false;
  }
  const bool persistent = !holding.entries.empty();
  const bool closed = hung_up(holding, kept);
  if (closed && keep_unit && holding.slot != nullptr) {
    holding.had_sockets = holding.hang_up != nullptr;
    holding.hang_up.reset();
    return true;
  }
  give_up_unit();
  if (closed) {
    finish(holding);
  } else if (worker.ending || (pool.parks && persistent)) {
    // Variables of the request that ends have it: it is closed for good when they are gone.
    holding.state = HoldingState::kLeaving;
    forget_minter(holding);
  } else {
    if (!destroyed.jumped) log_still_used(pool);  // else it is the aborted call that has it
    finish(holding);
  }
  if (destroyed.jumped) jump_on();
  return false;
}
}  // namespace

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
    case HoldingState::kPutOff:
    case HoldingState::kLeaving:
      budget->finish_close(*slot);
      return;
    case HoldingState::kParked:
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
  if (holding.state == HoldingState::kParked) --holding.pool->parked;
  holding.state = HoldingState::kClosing;
  close_resource(holding);
}

namespace {

// Closes a resource that nobody will want again. False: it may be kept.
bool close_what_is_over(Holding& holding) {
  WorkerPool& pool = *holding.pool;
  const bool stays = pool.parks && holding.outlives_request;
  if (UNEXPECTED(pool.worker.ending && (!stays || holding.held_at_end))) {
    close_in_use(holding, CloseReason::kRequestEnd);
  } else if (UNEXPECTED(pool.persistent && EG(exception) != nullptr &&
                        is_unwinding(EG(exception)))) {
    close_in_use(holding, CloseReason::kRequestEnd);  // exit(): in whatever state that left it
  } else if (UNEXPECTED(pool.live_objects == 0 && !stays)) {
    close_in_use(holding, CloseReason::kPoolDropped);
  } else if (UNEXPECTED(holding.slot == nullptr)) {
    close_in_use(holding, CloseReason::kNone);
  } else {
    return false;
  }
  return true;
}

void keep_or_close(Holding& holding, Release release) {
  Worker& worker = holding.pool->worker;
  switch (release) {
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

}  // namespace

void give_back(Holding& holding) {
  WorkerPool& pool = *holding.pool;
  if (holding.handle != nullptr) detach_handle(holding);
  if (close_what_is_over(holding)) return;
  if (UNEXPECTED(pool.resets)) {
    if (!reset(holding) || close_what_is_over(holding)) return;
  }
  keep_or_close(holding, pool.budget->release(*holding.slot));
}

void put_back(Holding& holding) {
  if (close_what_is_over(holding)) return;
  keep_or_close(holding, holding.pool->budget->put_back(*holding.slot));
}

uint32_t close_idle(WorkerPool& pool, CloseReason reason) {
  if (pool.budget == nullptr) return 0;
  ++pool.pins;
  const zend_object* pending = EG(exception);
  const uint32_t there = pool.budget->idle_here();
  uint32_t closed = 0;
  pool.closed_along = 0;
  // What a destroy callback gives back meanwhile is not ours to chase.
  while (closed < there && pool.budget != nullptr && EG(exception) == pending) {
    LocalSlot* slot = pool.budget->take_idle(reason);
    if (slot == nullptr) break;
    ++closed;
    close_taken(*slot);
  }
  closed += pool.closed_along;
  --pool.pins;
  remove_if_unused(pool);
  return closed;
}

uint32_t close_flagged_ones(Worker& worker) {
  uint32_t closed = 0;
  if (!worker.lane().attend()) return 0;
  const zend_object* pending = EG(exception);
  WorkerPool* pool = worker.first_pool();
  while (pool != nullptr) {
    ++pool->pins;
    while (pool->budget != nullptr && EG(exception) == pending) {
      LocalSlot* slot = pool->budget->take_flagged();
      if (slot == nullptr) break;
      close_taken(*slot);
      ++closed;
    }
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
  return closed;
}

}  // namespace oxpool::php
