// The methods of OxPHP\Shared\Mutex: each parses, checks, and calls one function.
#include "exception_classes.h"
#include "locked_call.h"
#include "milliseconds_argument.h"
#include "mutex_class.h"
#include "new_mutex.h"
#include "worker.h"

namespace oxpool::php {

namespace {

// Null with UninitializedException pending.
MutexCore* core_of(zval* self) {
  MutexCore* core = core_of_mutex(Z_OBJ_P(self));
  if (UNEXPECTED(core == nullptr)) {
    zend_throw_exception(uninitialized_exception, "the mutex's constructor did not finish", 0);
  }
  return core;
}

void with_lock(zend_execute_data* execute_data, zval* return_value, int64_t timeout_ns) {
  zend_fcall_info body;
  zend_fcall_info_cache target;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_FUNC(body, target)
  ZEND_PARSE_PARAMETERS_END();
  MutexCore* core = core_of(ZEND_THIS);
  if (UNEXPECTED(core == nullptr)) return;
  call_locked(*core, timeout_ns, &body, &target, return_value);
}

}  // namespace

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Mutex, __construct) {
  zval* initial = nullptr;
  zend_string* name = nullptr;
  zend_string* on_owner_death = nullptr;
  ZEND_PARSE_PARAMETERS_START(0, 3)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(initial)
  Z_PARAM_STR_OR_NULL(name)
  Z_PARAM_STR(on_owner_death)
  ZEND_PARSE_PARAMETERS_END();
  zend_object* object = Z_OBJ_P(ZEND_THIS);
  if (core_of_mutex(object) != nullptr) {
    zend_throw_exception(shared_exception, "the mutex's constructor was called a second time", 0);
    RETURN_THROWS();
  }
  give_core(object, new_mutex({initial, name, on_owner_death}));
}

ZEND_METHOD(OxPHP_Shared_Mutex, withLock) {
  with_lock(execute_data, return_value, oxpool::Mutex::kForever);
}

ZEND_METHOD(OxPHP_Shared_Mutex, tryWithLock) { with_lock(execute_data, return_value, 0); }

ZEND_METHOD(OxPHP_Shared_Mutex, withLockTimeout) {
  int64_t timeout_ns;
  if (!read_milliseconds(execute_data, 2, &timeout_ns)) RETURN_THROWS();
  zend_fcall_info body;
  zend_fcall_info_cache target;
  zval* ms;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_FUNC(body, target)
  Z_PARAM_ZVAL(ms)
  ZEND_PARSE_PARAMETERS_END();
  (void)ms;
  MutexCore* core = core_of(ZEND_THIS);
  if (UNEXPECTED(core == nullptr)) RETURN_THROWS();
  call_locked(*core, timeout_ns, &body, &target, return_value);
}

ZEND_METHOD(OxPHP_Shared_Mutex, id) {
  ZEND_PARSE_PARAMETERS_NONE();
  MutexCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core->mutex)) RETURN_THROWS();
  RETURN_LONG(static_cast<zend_long>(core->mutex->id));
}

ZEND_METHOD(OxPHP_Shared_Mutex, name) {
  ZEND_PARSE_PARAMETERS_NONE();
  MutexCore* core = core_of(ZEND_THIS);
  if (core == nullptr) RETURN_THROWS();
  RETURN_STRINGL(core->mutex->name.data(), core->mutex->name.size());
}

ZEND_METHOD(OxPHP_Shared_Mutex, __serialize) {
  ZEND_PARSE_PARAMETERS_NONE();
  throw_not_shareable_by(mutex_class, "serialized");
}

ZEND_METHOD(OxPHP_Shared_Mutex, __unserialize) {
  throw_not_shareable_by(mutex_class, "unserialized");
}
