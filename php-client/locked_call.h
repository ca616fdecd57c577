// A closure that runs with the lock of a mutex.
#pragma once

#include <cstdint>

#include "mutex_class.h"

namespace oxpool::php {

// Waits for the lock (`timeout_ns`: 0 = not at all, Mutex::kForever = without limit), calls `body`
// with a reference to the value, commits what it leaves there and gives the lock back, whether it
// returned or threw; *result is what it returned. What goes wrong is a pending exception. When PHP
// ends under the body (fatal error, exit(), a limit) nothing is committed and the lock is free.
void call_locked(MutexCore& core, int64_t timeout_ns, zend_fcall_info* body,
                 zend_fcall_info_cache* target, zval* result);

// Attaches worker and mutex where that has not happened in this life: what calls begin with. False
// with an exception pending. May run PHP code.
bool begin_call(WorkerMutex& mutex);

}  // namespace oxpool::php
