#include "interrupts.h"

namespace oxpool::php {

bool signals_are_asynchronous() {
#ifdef ZTS
  return true;  // time limits come from another thread
#else
  static constexpr char kName[] = "pcntl_async_signals";
  auto* function = static_cast<zend_function*>(
      zend_hash_str_find_ptr(CG(function_table), kName, sizeof kName - 1));
  if (function == nullptr || function->type != ZEND_INTERNAL_FUNCTION) return false;
  zval result;
  ZVAL_UNDEF(&result);
  zend_call_known_function(function, nullptr, nullptr, &result, 0, nullptr, nullptr);
  return Z_TYPE(result) == IS_TRUE;
#endif
}

void run_interrupts(void (*leave)(void*), void* context) {
  if (!take_interrupt()) return;
  if (time_limit_passed()) {
    leave(context);
    zend_timeout();
  }
  if (zend_interrupt_function != nullptr) zend_interrupt_function(EG(current_execute_data));
}

}  // namespace oxpool::php
