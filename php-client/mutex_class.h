// OxPHP\Shared\Mutex.
#pragma once

#include <string>

#include "engine.h"
#include "identity.h"

namespace oxpool::php {

struct WorkerMutex;

extern zend_class_entry* mutex_class;
void set_up_mutex_class(zend_class_entry* registered);

// What a Mutex object stands for; it goes with the object.
struct MutexCore {
  WorkerMutex* mutex = nullptr;  // counted in its `objects`
  AutomaticName automatic_name;
  // The value that the constructor was given, encoded, as long as a factory of the Registry runs
  // and may be what made this object: the mutex that gets the name begins with it. Empty once the
  // value was used.
  std::string initial;
  bool recovers = false;  // onOwnerDeath
};

// Of a Mutex object; null while its constructor has not finished.
MutexCore* core_of_mutex(zend_object* object);
// Once, when it has finished; null when it failed.
void give_core(zend_object* object, MutexCore* core);
// Its object is gone: frees the core, and the mutex with its seat when it was the last one here.
void drop_core(MutexCore* core);

}  // namespace oxpool::php
