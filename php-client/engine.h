// The parts of PHP that this extension uses, and what differs between its versions.
#pragma once

#include <cerrno>  // before zend.h, which uses errno without including it

#include "php.h"

extern "C" {  // which these two leave to C++ programs
#include "ext/standard/basic_functions.h"
#include "ext/standard/info.h"
}
#include "zend_closures.h"
#include "zend_exceptions.h"
#include "zend_extensions.h"
#include "zend_interfaces.h"

namespace oxpool::php {

// Takes the flag that asks for signal handlers and time limits to be looked at.
inline bool take_interrupt() {
#if PHP_VERSION_ID >= 80200
  return zend_atomic_bool_exchange_ex(&EG(vm_interrupt), false);
#else
  if (!EG(vm_interrupt)) return false;
  EG(vm_interrupt) = false;
  return true;
#endif
}

inline bool time_limit_passed() {
#if PHP_VERSION_ID >= 80200
  return zend_atomic_bool_load_ex(&EG(timed_out));
#else
  return EG(timed_out);
#endif
}

// exit() and the end of a fiber travel as exceptions that nothing may catch.
inline bool is_unwinding(const zend_object* exception) {
  return zend_is_unwind_exit(exception) || zend_is_graceful_exit(exception);
}

}  // namespace oxpool::php
