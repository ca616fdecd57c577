#include "new_pool.h"

#include <limits>

#include "error_log.h"
#include "exception_classes.h"
#include "life.h"
#include "request_end.h"
#include "sentence.h"
#include "worker.h"

namespace oxpool::php {

namespace {

void throw_type(const char* argument, const char* must, const char* given) {
  zend_throw_exception_ex(type_exception, 0,
                          "OxPHP\\Shared\\Pool::__construct(): %s must be %s, %s given", argument,
                          must, given);
}

bool check(const NewPool& asked) {
  char given[48];
  if (asked.max_size <= 0) {
    snprintf(given, sizeof given, ZEND_LONG_FMT, asked.max_size);
    throw_type("Argument #3 ($maxSize)", "at least 1", given);
    return false;
  }
  if (asked.idle_timeout_ms < 0) {
    snprintf(given, sizeof given, ZEND_LONG_FMT, asked.idle_timeout_ms);
    throw_type("Argument #4 ($idleTimeoutMs)", "0 (never) or more milliseconds", given);
    return false;
  }
  if (asked.name != nullptr &&
      (ZSTR_LEN(asked.name) == 0 || ZSTR_LEN(asked.name) > shm::kNameBytes)) {
    snprintf(given, sizeof given, "%zu bytes", ZSTR_LEN(asked.name));
    throw_type("Option $name", "1 to 255 bytes", given);
    return false;
  }
  return true;
}

shm::PoolRequest request_of(const NewPool& asked) {
  shm::PoolRequest request;
  request.max_size = static_cast<uint32_t>(
      std::min<zend_long>(asked.max_size, std::numeric_limits<uint32_t>::max()));
  request.idle_timeout_ms = asked.idle_timeout_ms;
  return request;
}

// Code that moves at each deploy should name its pools: said once a process.
void advise_on_moving_paths(const std::string& base) {
  static bool said = false;
  if (said || !path_moves(base)) return;
  said = true;
  log_line(
      "the pool " + quoted(base) +
      " is named after a path that is another one after the next deploy; workers of before and "
      "after then have two budgets. Give it a name (option `name`)");
}

// Makes the core, or says in *message why not. Runs no PHP code.
PoolCore* join(Worker& worker, const NewPool& asked, Status* failure, Sentence* message) {
  if (Error error = worker.attach()) {
    *failure = error.status;
    message->set(error.message);
    return nullptr;
  }
  std::string base;
  std::string name;
  uint32_t number = 0;
  if (asked.name != nullptr) {
    name.assign(ZSTR_VAL(asked.name), ZSTR_LEN(asked.name));
  } else {
    base = automatic_base(&asked.factory.function_name, worker.name_key());
    advise_on_moving_paths(base);
    number = worker.names.take(base);
    name = automatic_name(base, number, worker.name_key());
  }
  WorkerPool& pool = worker.join(name);
  if (Error error = worker.request(pool, request_of(asked))) {
    *failure = error.status;
    message->set(error.message);
    if (number != 0) worker.names.give_back(base, number);
    remove_if_unused(pool);
    return nullptr;
  }
  auto* core = new PoolCore;
  core->pool = &pool;
  core->factory.set(asked.factory, asked.factory_target);
  if (asked.destroy.size != 0) {
    core->destroy.set(asked.destroy, asked.destroy_target);
  } else {
    ZVAL_UNDEF(&core->destroy.callable);
  }
  core->automatic_base = std::move(base);
  core->automatic_number = number;
  core->older = pool.cores;
  pool.cores = core;
  ++pool.live_objects;
  return core;
}

}  // namespace

PoolCore* new_pool(const NewPool& asked) {
  if (!check(asked)) return nullptr;
  Worker& worker = Worker::here();
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return nullptr;
  Status failure = Status::kOk;
  Sentence message;
  PoolCore* core = join(worker, asked, &failure, &message);
  if (core == nullptr) {
    zend_throw_exception(failure == Status::kCapacity ? capacity_exception : shared_exception,
                         message.text, 0);
    return nullptr;
  }
  close_at_request_end(worker);
  return core;
}

}  // namespace oxpool::php
