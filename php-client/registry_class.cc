#include "registry_class.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "exception_classes.h"
#include "ext/spl/spl_exceptions.h"
#include "life.h"
#include "mutex_class.h"
#include "new_mutex.h"
#include "new_pool.h"
#include "pool_class.h"
#include "request_end.h"
#include "sentence.h"
#include "taking.h"
#include "worker.h"

namespace oxpool::php {

zend_class_entry* registry_class;

namespace {

bool check_name(const char* method, const zend_string* name) {
  if (ZSTR_LEN(name) == 0) {
    zend_throw_exception_ex(spl_ce_InvalidArgumentException, 0,
                            "OxPHP\\Shared\\Registry::%s(): Argument #1 ($name) must not be empty",
                            method);
    return false;
  }
  if (ZSTR_LEN(name) <= shm::kNameBytes) return true;
  zend_throw_exception_ex(
      type_exception, 0,
      "OxPHP\\Shared\\Registry::%s(): Argument #1 ($name) must be 1 to 255 bytes, %zu bytes given",
      method, ZSTR_LEN(name));
  return false;
}

// The functions that return a class say with it what is to be thrown with *message; they run no PHP
// code, so that strings may live in their frames. Null = all is well.

zend_class_entry* problem(zend_class_entry* type, const zend_string* name, const std::string& what,
                          Sentence* message) {
  message->set("the registry's entry " + quoted({ZSTR_VAL(name), ZSTR_LEN(name)}) + ": " + what);
  return type;
}

bool throw_problem(zend_class_entry* type, const Sentence& message) {
  if (type != nullptr) zend_throw_exception(type, message.text, 0);
  return type != nullptr;
}

// An attached worker, or null with an exception pending. May run PHP code.
Worker* attached_worker() {
  Worker& worker = Worker::here();
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return nullptr;
  Sentence message;
  return throw_problem(attach(worker, &message), message) ? nullptr : &worker;
}

enum class Kind { kPool, kMutex, kAny };

const char* class_that_fits(Kind kind) {
  switch (kind) {
    case Kind::kPool:
      return "an OxPHP\\Shared\\Pool";
    case Kind::kMutex:
      return "an OxPHP\\Shared\\Mutex";
    case Kind::kAny:
      break;
  }
  return "an OxPHP\\Shared\\Pool or OxPHP\\Shared\\Mutex";
}

bool fits(const zend_object* object, Kind kind) {
  return (kind != Kind::kMutex && object->ce == pool_class) ||
         (kind != Kind::kPool && object->ce == mutex_class);
}

// Whether the object still is what has the name.
bool has_name(zend_object* object, std::string_view name) {
  if (object->ce == pool_class) {
    const PoolCore* core = core_of_pool(object);
    return core != nullptr && core->pool->name == name && !core->pool->name_removed();
  }
  const MutexCore* core = core_of_mutex(object);
  return core != nullptr && core->mutex->name == name && !core->mutex->name_removed();
}

// The object through which this worker has the pool or the mutex of that name, if one was kept or
// lives; null when there is none.
zend_object* known_here(const Worker& worker, const zend_string* name) {
  const std::string_view text(ZSTR_VAL(name), ZSTR_LEN(name));
  zend_object* kept = worker.registered.find(name);
  if (kept != nullptr && has_name(kept, text)) return kept;
  const WorkerPool* pool = worker.find({ZSTR_VAL(name), ZSTR_LEN(name)});
  if (pool == nullptr) return nullptr;
  for (const PoolCore* core = pool->cores; core != nullptr; core = core->older) {
    if (core->object != nullptr) return core->object;
  }
  return nullptr;
}

zend_class_entry* has_own_name(const zend_string* wanted, const char* what, const std::string& name,
                               Sentence* message) {
  return problem(type_exception, wanted,
                 "the factory returned the " + std::string(what) + " " + quoted(name) +
                     ", which has a name of its own",
                 message);
}

zend_class_entry* name_pool(const zend_string* wanted, PoolCore& core, Sentence* message) {
  const std::string name(ZSTR_VAL(wanted), ZSTR_LEN(wanted));
  if (core.pool->name == name && !core.pool->name_removed()) return nullptr;
  if (core.automatic_name.given()) return has_own_name(wanted, "pool", core.pool->name, message);
  if (core.pool->holdings != nullptr) {
    return problem(type_exception, wanted,
                   "the factory returned a pool that has resources already; make it in the "
                   "factory, or give it its name when it is made",
                   message);
  }
  return give_name(core, name, message);
}

zend_class_entry* name_mutex(const zend_string* wanted, MutexCore& core, Sentence* message) {
  const std::string_view name(ZSTR_VAL(wanted), ZSTR_LEN(wanted));
  if (core.mutex->name == name && !core.mutex->name_removed()) return nullptr;
  if (core.automatic_name.given()) return has_own_name(wanted, "mutex", core.mutex->name, message);
  if (core.mutex->frames > 0) {
    return problem(type_exception, wanted,
                   "the factory returned a mutex whose closure runs; make it in the factory",
                   message);
  }
  return give_name(core, name, message);
}

// Whether what the factory made has this name or can get it; it gets it then.
zend_class_entry* take_name(const zend_string* wanted, const zval* made, Kind kind,
                            Sentence* message) {
  if (Z_TYPE_P(made) != IS_OBJECT || !fits(Z_OBJ_P(made), kind)) {
    return problem(type_exception, wanted,
                   std::string("the factory returned ") + zend_zval_type_name(made) +
                       "; it must return " + class_that_fits(kind),
                   message);
  }
  PoolCore* pool = Z_OBJCE_P(made) == pool_class ? core_of_pool(Z_OBJ_P(made)) : nullptr;
  MutexCore* mutex = Z_OBJCE_P(made) == mutex_class ? core_of_mutex(Z_OBJ_P(made)) : nullptr;
  if (pool != nullptr) return name_pool(wanted, *pool, message);
  if (mutex != nullptr) return name_mutex(wanted, *mutex, message);
  return problem(uninitialized_exception, wanted, "its constructor did not finish", message);
}

void release(zend_object* object) {
  if (object != nullptr) OBJ_RELEASE(object);
}

// What there is already: in this worker, or, of mutexes, on the host. Undefined result = nothing.
zend_class_entry* find_existing(zval* result, Worker& worker, const zend_string* name, Kind kind,
                                Sentence* message) {
  ZVAL_UNDEF(result);
  zend_object* known = known_here(worker, name);
  if (known != nullptr && fits(known, kind)) {
    ZVAL_OBJ_COPY(result, known);
    return nullptr;
  }
  if (known != nullptr) {
    return problem(type_exception, name,
                   std::string("the name is a ") + (known->ce == pool_class ? "pool's" : "mutex's"),
                   message);
  }
  if (kind == Kind::kPool) return nullptr;
  bool found;
  zend_class_entry* failure =
      join_named_mutex(result, worker, {ZSTR_VAL(name), ZSTR_LEN(name)}, &found, message);
  // The pool is one that this worker does not have yet: the factory is to make it.
  return kind == Kind::kAny && failure == type_exception ? nullptr : failure;
}

void get_or_make(zval* result, const zend_string* name, Kind kind, zend_fcall_info* factory,
                 zend_fcall_info_cache* target) {
  Worker* worker = attached_worker();
  if (worker == nullptr) return;
  Sentence message;
  if (throw_problem(find_existing(result, *worker, name, kind, &message), message)) return;
  if (Z_TYPE_P(result) == IS_UNDEF) {
    if (!worker->registered.begin_making(name)) {
      throw_problem(
          problem(deadlock_exception, name, "asked for while its own factory runs", &message),
          message);
      return;
    }
    factory->retval = result;
    zend_call_function(factory, target);  // when PHP jumps, the end of the request tidies up
    worker->registered.end_making(name);
    if (EG(exception) != nullptr) return;
    if (Z_TYPE_P(result) == IS_REFERENCE) zend_unwrap_reference(result);
    if (throw_problem(take_name(name, result, kind, &message), message)) return;
  }
  close_at_request_end(*worker);
  release(worker->registered.keep(name, Z_OBJ_P(result)));
}

void get_or_make(zend_execute_data* execute_data, zval* return_value, const char* method,
                 Kind kind) {
  zend_string* name;
  zend_fcall_info factory;
  zend_fcall_info_cache target;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_STR(name)
  Z_PARAM_FUNC(factory, target)
  ZEND_PARSE_PARAMETERS_END();
  if (check_name(method, name)) get_or_make(return_value, name, kind, &factory, &target);
}

void remove_name(zval* result, const zend_string* name) {
  Worker* worker = attached_worker();
  if (worker == nullptr) return;
  bool removed = false;
  Sentence message;
  zend_class_entry* failure =
      attempt(worker->lane().remove_name({ZSTR_VAL(name), ZSTR_LEN(name)}, &removed), &message);
  if (throw_problem(failure, message)) return;
  ZVAL_BOOL(result, removed);
  release(worker->registered.take(name));
}

// As PHP strings, sorted.
zend_class_entry* given_names(Worker& worker, zval* result, Sentence* message) {
  static thread_local std::vector<std::string> names;  // not in the frame: PHP may jump over it
  names.clear();
  if (zend_class_entry* failed = attempt(worker.lane().given_names(&names), message)) return failed;
  std::sort(names.begin(), names.end());
  array_init_size(result, static_cast<uint32_t>(names.size()));
  for (const std::string& name : names) {
    add_next_index_stringl(result, name.data(), name.size());
  }
  return nullptr;
}

bool total(shm::RegistryTotals* totals) {
  Worker* worker = attached_worker();
  if (worker == nullptr) return false;
  Sentence message;
  zend_class_entry* failure = attempt(worker->lane().count_registry(totals), &message);
  return !throw_problem(failure, message);
}

}  // namespace

void set_up_registry_class(zend_class_entry* registered) { registry_class = registered; }

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Registry, __construct) {
  ZEND_PARSE_PARAMETERS_NONE();
  zend_throw_exception(shared_exception,
                       "OxPHP\\Shared\\Registry has static methods only and is not instantiated",
                       0);
}

ZEND_METHOD(OxPHP_Shared_Registry, pool) {
  get_or_make(execute_data, return_value, "pool", Kind::kPool);
}

ZEND_METHOD(OxPHP_Shared_Registry, mutex) {
  get_or_make(execute_data, return_value, "mutex", Kind::kMutex);
}

ZEND_METHOD(OxPHP_Shared_Registry, global) {
  get_or_make(execute_data, return_value, "global", Kind::kAny);
}

ZEND_METHOD(OxPHP_Shared_Registry, remove) {
  zend_string* name;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STR(name)
  ZEND_PARSE_PARAMETERS_END();
  if (!check_name("remove", name)) RETURN_THROWS();
  remove_name(return_value, name);
}

ZEND_METHOD(OxPHP_Shared_Registry, keys) {
  ZEND_PARSE_PARAMETERS_NONE();
  Worker* worker = attached_worker();
  if (worker == nullptr) RETURN_THROWS();
  Sentence message;
  throw_problem(given_names(*worker, return_value, &message), message);
}

ZEND_METHOD(OxPHP_Shared_Registry, count) {
  ZEND_PARSE_PARAMETERS_NONE();
  oxpool::shm::RegistryTotals totals;
  if (!total(&totals)) RETURN_THROWS();
  RETURN_LONG(zend_long{totals.pools} + totals.mutexes);
}

ZEND_METHOD(OxPHP_Shared_Registry, memoryUsage) {
  ZEND_PARSE_PARAMETERS_NONE();
  oxpool::shm::RegistryTotals totals;
  if (!total(&totals)) RETURN_THROWS();
  RETURN_LONG(static_cast<zend_long>(totals.bytes));
}
