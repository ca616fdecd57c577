#include "registry_class.h"

#include <algorithm>
#include <string>
#include <vector>

#include "exception_classes.h"
#include "ext/spl/spl_exceptions.h"
#include "life.h"
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
  message->set("the registry's pool " + quoted({ZSTR_VAL(name), ZSTR_LEN(name)}) + ": " + what);
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

// The object through which this worker has the pool of that name; null when there is none.
zend_object* known_here(const Worker& worker, const zend_string* name) {
  const WorkerPool* pool = worker.find({ZSTR_VAL(name), ZSTR_LEN(name)});
  if (pool == nullptr) return nullptr;
  for (const PoolCore* core = pool->cores; core != nullptr; core = core->older) {
    if (core->object != nullptr) return core->object;
  }
  return nullptr;
}

// Whether what the factory made is a pool that has this name or can get it; it gets it then.
zend_class_entry* take_name(const zend_string* wanted, const zval* made, Sentence* message) {
  if (Z_TYPE_P(made) != IS_OBJECT || Z_OBJCE_P(made) != pool_class) {
    return problem(type_exception, wanted,
                   std::string("the factory returned ") + zend_zval_type_name(made) +
                       "; it must return an OxPHP\\Shared\\Pool",
                   message);
  }
  PoolCore* core = core_of_pool(Z_OBJ_P(made));
  if (core == nullptr) {
    return problem(uninitialized_exception, wanted, "its constructor did not finish", message);
  }
  const std::string name(ZSTR_VAL(wanted), ZSTR_LEN(wanted));
  if (core->pool->name == name && !core->pool->name_removed()) return nullptr;
  if (core->automatic_name.given()) {
    return problem(type_exception, wanted,
                   "the factory returned the pool " + quoted(core->pool->name) +
                       ", which has a name of its own",
                   message);
  }
  if (core->pool->holdings != nullptr) {
    return problem(type_exception, wanted,
                   "the factory returned a pool that has resources already; make it in the "
                   "factory, or give it its name when it is made",
                   message);
  }
  return give_name(*core, name, message);
}

void release(zend_object* pool) {
  if (pool != nullptr) OBJ_RELEASE(pool);
}

void get_or_make(zval* result, const zend_string* name, zend_fcall_info* factory,
                 zend_fcall_info_cache* target) {
  Worker* worker = attached_worker();
  if (worker == nullptr) return;
  Sentence message;
  if (zend_object* known = known_here(*worker, name)) {
    ZVAL_OBJ_COPY(result, known);
  } else {
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
    if (throw_problem(take_name(name, result, &message), message)) return;
  }
  close_at_request_end(*worker);
  release(worker->registered.keep(name, Z_OBJ_P(result)));
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
  zend_string* name;
  zend_fcall_info factory;
  zend_fcall_info_cache target;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_STR(name)
  Z_PARAM_FUNC(factory, target)
  ZEND_PARSE_PARAMETERS_END();
  if (!check_name("pool", name)) RETURN_THROWS();
  get_or_make(return_value, name, &factory, &target);
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
  RETURN_LONG(totals.pools);
}

ZEND_METHOD(OxPHP_Shared_Registry, memoryUsage) {
  ZEND_PARSE_PARAMETERS_NONE();
  oxpool::shm::RegistryTotals totals;
  if (!total(&totals)) RETURN_THROWS();
  RETURN_LONG(static_cast<zend_long>(totals.bytes));
}
