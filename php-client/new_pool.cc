#include "new_pool.h"

#include <atomic>

#include "error_log.h"
#include "exception_classes.h"
#include "life.h"
#include "persistent_mint.h"
#include "request_end.h"
#include "sentence.h"
#include "shm/clock.h"
#include "taking.h"
#include "worker.h"

namespace oxpool::php {

namespace {

void say_that_nothing_outlives_a_script(const std::string& name) {
  static std::atomic<bool> said{false};
  if (requests_end_here() || said.exchange(true)) return;
  log_line("the pool " + quoted(name) +
           " is persistent, which has no effect in a script: its resources live as long as the "
           "script uses them anyway");
}

void set(Callback* callback, const CallableArgument& given) {
  if (given.given()) callback->set(given.call, given.target);
}

// Makes the core, or says in *message why not. Runs no PHP code.
PoolCore* join(Worker& worker, const PoolArguments& asked, zend_class_entry** failure,
               Sentence* message) {
  if ((*failure = attach(worker, message)) != nullptr) return nullptr;
  AutomaticName automatic;
  std::string name;
  if (asked.name != nullptr) {
    name.assign(ZSTR_VAL(asked.name), ZSTR_LEN(asked.name));
    if (asked.persistent) say_that_nothing_outlives_a_script(name);
  } else {
    const HashKey key = worker.name_key();
    const std::string base = pool_base(&asked.factory.call.function_name, key);
    // What a factory of the Registry makes is about to be named.
    if (!worker.registered.making()) advise_on_moving_paths("pool", base);
    name = automatic.take(base, worker.names, key);
  }
  WorkerPool& pool = worker.join(name);
  if (Error error = worker.request(pool, request_of(asked))) {
    *failure = attempt(error, message);
    automatic.give_back(worker.names);
    remove_if_unused(pool);
    return nullptr;
  }
  auto* core = new PoolCore;
  core->automatic_name = std::move(automatic);
  core->validate_after_idle_ns = shm::nanos_of_millis(asked.validate_after_idle);
  set(&core->factory, asked.factory);
  set(&core->destroy, asked.destroy);
  set(&core->validate, asked.validate);
  set(&core->reset, asked.reset);
  add_core(pool, *core);
  return core;
}

}  // namespace

PoolCore* new_pool(const PoolArguments& asked, zend_object* object) {
  if (!check(asked)) return nullptr;
  Worker& worker = Worker::here();
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return nullptr;
  zend_class_entry* failure = nullptr;
  Sentence message;
  PoolCore* core = join(worker, asked, &failure, &message);
  if (core == nullptr) {
    zend_throw_exception(failure, message.text, 0);
    return nullptr;
  }
  core->object = object;
  close_at_request_end(worker);
  return core;
}

zend_class_entry* give_name(PoolCore& core, const std::string& name, Sentence* message) {
  WorkerPool& automatic = *core.pool;
  Worker& worker = automatic.worker;
  WorkerPool& named = worker.join(name);
  shm::PoolRequest request = automatic.request;
  request.given_name = true;
  if (Error error = worker.request(named, request)) {
    remove_if_unused(named);
    return attempt(error, message);
  }
  core.automatic_name.give_back(worker.names);
  remove_core(core);
  add_core(named, core);
  remove_if_unused(automatic);
  return nullptr;
}

}  // namespace oxpool::php
