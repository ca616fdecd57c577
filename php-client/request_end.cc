#include "request_end.h"

#include <atomic>
#include <utility>

#include "closing.h"
#include "error_log.h"
#include "life.h"
#include "persistent_slots.h"
#include "pool_class.h"

namespace oxpool::php {

using shm::CloseReason;

namespace {

uint32_t shutdown_functions() { return zend_hash_num_elements(BG(user_shutdown_function_names)); }

void append_shutdown_function(Worker& worker) {
  php_shutdown_function_entry entry{};
  entry.fci.size = sizeof entry.fci;
  ZVAL_UNDEF(&entry.fci.function_name);
  entry.fci_cache.function_handler = end_request_function();
  entry.fci_cache.called_scope = pool_class;
  append_user_shutdown_function(&entry);
  worker.shutdown_functions = shutdown_functions();
}

void close_idle_ones(Worker& worker) {
  const zend_object* pending = EG(exception);
  WorkerPool* pool = worker.first_pool();
  while (pool != nullptr && EG(exception) == pending) {
    ++pool->pins;
    if (!pool->parks) close_idle(*pool, CloseReason::kRequestEnd);
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
}

void say_that_it_is_not_parked(const WorkerPool& pool) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  log_about(pool,
            "a resource was still held when its request ended: it is closed and not kept for the "
            "next one. Release it before the script ends");
}

// What comes back from now on was not let go of by the script: it is closed, not parked.
void mark_what_is_held(Worker& worker) {
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      if (holding->state != HoldingState::kInUse) continue;
      holding->held_at_end = true;
      if (pool->parks && holding->outlives_request) say_that_it_is_not_parked(*pool);
    }
  }
}

void let_go_of_registered(Worker& worker) {
  while (zend_object* pool = worker.registered.take_any()) OBJ_RELEASE(pool);
}

bool is_left_over(const Holding& holding) {
  switch (holding.state) {
    case HoldingState::kParked:
    case HoldingState::kLeaving:
      return false;
    case HoldingState::kIdle:  // is to be parked
      return !holding.pool->parks || !holding.outlives_request || holding.slot == nullptr;
    default:
      return true;
  }
}

// The next one that something is to be done about; null when there is none left.
Holding* next_to_close(const Worker& worker) {
  for (const WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      if (is_left_over(*holding)) return holding;
    }
  }
  return nullptr;
}

// The frames that worked on it are gone by now.
void close_left_over(Holding& holding) {
  holding.framed = false;
  switch (holding.state) {
    case HoldingState::kMinting:
      give_up_mint(holding);
      return;
    case HoldingState::kInUse:
      close_in_use(holding, CloseReason::kRequestEnd);
      return;
    case HoldingState::kIdle:
      if (holding.slot != nullptr && holding.pool->budget != nullptr) {
        Pool& budget = *holding.pool->budget;
        if (LocalSlot* slot = budget.take_parked(*holding.slot, CloseReason::kRequestEnd)) {
          close_taken(*slot);
          return;
        }
        holding.slot = nullptr;
      }
      holding.state = HoldingState::kClosing;
      close_resource(holding);
      return;
    case HoldingState::kClosing:
      // Its destroy was jumped out of, and is not run twice.
      if (holding.resource != nullptr) drop_object(std::exchange(holding.resource, nullptr));
      finish(holding);
      return;
    case HoldingState::kPutOff:
      holding.state = HoldingState::kClosing;
      close_resource(holding);
      return;
    case HoldingState::kParked:
    case HoldingState::kLeaving:
      return;
    case HoldingState::kAbandoned:
      remove_holding(holding);
      return;
  }
}

struct LeftOver {
  Worker* worker;
  bool done;
};

void close_next(void* argument) {
  auto* left = static_cast<LeftOver*>(argument);
  leave_lost_life(*left->worker);
  let_go_of_registered(*left->worker);
  Holding* holding = next_to_close(*left->worker);
  left->done = holding == nullptr;
  if (holding != nullptr) close_left_over(*holding);
}

// The request's time limit was switched off before RSHUTDOWN: destroy callbacks get it anew.
void start_time_limit() {
  if (EG(timeout_seconds) > 0) zend_set_timeout(EG(timeout_seconds), true);
}
void stop_time_limit() {
  if (EG(timeout_seconds) > 0) zend_unset_timeout();
}

// Its objects are gone, and callbacks and resources with them: pointers to them are only forgotten.
// What is parked stays, and the pool with it.
void forget_pool(WorkerPool& pool) {
  if (pool.used && pool.budget != nullptr) pool.budget->request_ended();
  pool.requests_away = pool.used ? 0 : pool.requests_away + 1;
  pool.used = false;
  Holding* parked = nullptr;
  for (Holding* holding = pool.holdings; holding != nullptr; holding = holding->older) {
    if (holding->state == HoldingState::kParked) continue;
    if (holding->hang_up != nullptr && pool.budget != nullptr) {
      holding->hang_up->wait(pool.budget->close_wait_ms());
    }
    free_unit(*holding);
  }
  while (Holding* holding = pool.holdings) {
    pool.holdings = holding->older;
    if (holding->state != HoldingState::kParked) {
      delete holding;
      continue;
    }
    holding->newer = nullptr;
    holding->older = parked;
    if (parked != nullptr) parked->newer = holding;
    parked = holding;
  }
  pool.holdings = parked;
  while (pool.cores != nullptr) delete std::exchange(pool.cores, pool.cores->older);
  pool.pins = 0;
  pool.live_objects = 0;
  pool.validates = pool.resets = pool.notes_places = false;
  remove_if_unused(pool);
}

}  // namespace

void close_at_request_end(Worker& worker) {
  if (worker.end_is_registered) return;
  worker.end_is_registered = true;
  append_shutdown_function(worker);
}

void run_shutdown_function() {
  Worker* worker = Worker::existing();
  if (worker == nullptr) return;
  if (shutdown_functions() > worker->shutdown_functions) {  // others came after it
    append_shutdown_function(*worker);
    return;
  }
  worker->ending = true;
  mark_what_is_held(*worker);
  leave_lost_life(*worker);
  if (EG(exception) == nullptr) close_idle_ones(*worker);
  if (EG(exception) == nullptr) let_go_of_registered(*worker);
}

void close_request(Worker& worker) {
  worker.ending = true;
  worker.end_all_acquires();
  worker.mutexes.end_all_frames();
  LeftOver left{&worker, false};
  if (next_to_close(worker) == nullptr && !any_to_be_parked(worker) && worker.registered.empty() &&
      (!worker.attached() || worker.usable())) {
    return;
  }
  start_time_limit();
  while (!left.done) {
    if (catch_jump(close_next, &left) == CallEnd::kThrew) {
      OBJ_RELEASE(std::exchange(EG(exception), nullptr));
    }
  }
  leave_objects(worker);
  stop_time_limit();
}

void forget_request(Worker& worker) {
  worker.end_all_acquires();
  if (worker.forked()) forget_parents_life(worker);
  park_or_close(worker);
  worker.persistent_strays.close_all();  // before the units that count them go back
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr;) {
    WorkerPool* next = pool->next;
    forget_pool(*pool);
    pool = next;
  }
  worker.mutexes.forget_request();
  restart_slot_numbers(worker);
  worker.names = TwinNumbers();
  worker.registered.forget_all();
  worker.ending = false;
  worker.end_is_registered = false;
}

}  // namespace oxpool::php
