#include "userland_call.h"

#include "pool_class.h"

namespace oxpool::php {

void Callback::set(const zend_fcall_info& call, const zend_fcall_info_cache& cache) {
  ZVAL_COPY(&callable, &call.function_name);
  target = cache;
  // __call() and __callStatic() are reached through a function made for one call.
  if (target.function_handler != nullptr &&
      (target.function_handler->common.fn_flags & ZEND_ACC_CALL_VIA_TRAMPOLINE)) {
    target.function_handler = nullptr;
  }
}

void Callback::drop() {
  zval dropped;
  ZVAL_COPY_VALUE(&dropped, &callable);
  ZVAL_UNDEF(&callable);
  zval_ptr_dtor(&dropped);
}

CallEnd call_userland(const Callback& callback, uint32_t argc, zval* argv, zval* result) {
  zend_fcall_info call{};
  call.size = sizeof call;
  ZVAL_COPY_VALUE(&call.function_name, &callback.callable);
  call.retval = result;
  call.params = argv;
  call.param_count = argc;
  zend_fcall_info_cache target = callback.target;
  volatile CallEnd end = CallEnd::kReturned;
  ZVAL_UNDEF(result);
  zend_try {
    if (zend_call_function(&call, &target) != SUCCESS) end = CallEnd::kRefused;
  }
  zend_catch { end = CallEnd::kJumped; }
  zend_end_try();
  if (end != CallEnd::kJumped && EG(exception) != nullptr) end = CallEnd::kThrew;
  return end;
}

CallEnd catch_jump(void (*function)(void*), void* argument) {
  volatile CallEnd end = CallEnd::kReturned;
  zend_try { function(argument); }
  zend_catch { end = CallEnd::kJumped; }
  zend_end_try();
  if (end == CallEnd::kReturned && EG(exception) != nullptr) end = CallEnd::kThrew;
  return end;
}

CallEnd drop_object(zend_object* object) {
  return catch_jump([](void* argument) { OBJ_RELEASE(static_cast<zend_object*>(argument)); },
                    object);
}

CallEnd drop_value(zval* value) {
  if (!Z_REFCOUNTED_P(value)) return CallEnd::kReturned;
  return catch_jump([](void* argument) { zval_ptr_dtor(static_cast<zval*>(argument)); }, value);
}

void jump_on() { zend_bailout(); }

void step_aside(Aside* aside) {
  aside->exception = EG(exception);
  aside->opline_before_exception = EG(opline_before_exception);
  aside->outer = EG(current_execute_data);
  memset(&aside->frame, 0, sizeof aside->frame);
  aside->frame.func = close_resource_function();
  aside->frame.prev_execute_data = aside->outer;
  EG(exception) = nullptr;
  EG(current_execute_data) = &aside->frame;
}

void step_back(Aside* aside, zend_object* unwinding) {
  EG(current_execute_data) = aside->outer;
  EG(exception) = aside->exception;
  EG(opline_before_exception) = aside->opline_before_exception;
  if (unwinding == nullptr) return;
  if (aside->outer == nullptr) {  // the request is ending anyway
    OBJ_RELEASE(unwinding);
    return;
  }
  if (EG(exception) != nullptr) OBJ_RELEASE(EG(exception));
  EG(exception) = unwinding;
  if (aside->outer->func != nullptr && ZEND_USER_CODE(aside->outer->func->common.type)) {
    zend_rethrow_exception(aside->outer);
  }
}

}  // namespace oxpool::php
