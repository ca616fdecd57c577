// Calls into PHP code: every one goes through here.
//
// A fatal error, a memory or a time limit leave PHP code by longjmp, over every frame on the way.
// So these functions have no object with a destructor in their frames, and their callers keep what
// must not be lost in memory that is reached from elsewhere. No C++ exception crosses into PHP
// either.
#pragma once

#include "engine.h"

namespace oxpool::php {

// A PHP callable that is called more than once. Plain memory; `drop` gives its reference back.
struct Callback {
  zval callable{};                 // undefined = none was given
  zend_fcall_info_cache target{};  // without a function: resolved anew at each call

  void set(const zend_fcall_info& call, const zend_fcall_info_cache& cache);
  bool given() const { return Z_TYPE(callable) != IS_UNDEF; }
  void drop();
};

enum class CallEnd {
  kReturned,  // *result is the caller's
  kThrew,     // EG(exception) is set; also exit()
  kJumped,    // a bailout was caught: tidy up, then jump_on()
  kRefused,   // PHP does not run code any more (or not yet)
};

// Calls with no exception pending.
CallEnd call_userland(const Callback& callback, uint32_t argc, zval* argv, zval* result);
// Give a reference back, which may run destructors of PHP code.
CallEnd drop_object(zend_object* object);
CallEnd drop_value(zval* value);
// Runs a function of ours that calls PHP code and may end by a jump.
CallEnd catch_jump(void (*function)(void*), void* argument);

// Goes on with a bailout that was caught.
[[noreturn]] void jump_on();

// While PHP code runs that has nothing to do with what runs otherwise (a destroy callback while an
// exception unwinds the stack): the pending exception is put aside, and a frame of our own stands
// on the stack, so that what that code throws ends here.
struct Aside {
  zend_object* exception;
  const zend_op* opline_before_exception;
  zend_execute_data* outer;
  zend_execute_data frame;
};
void step_aside(Aside* aside);
// Goes back. `unwinding` (may be null) is an exit() to go on with; its reference is taken over.
void step_back(Aside* aside, zend_object* unwinding);

}  // namespace oxpool::php
