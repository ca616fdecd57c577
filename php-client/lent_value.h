// The value of a mutex while a closure has it, and what the worker keeps of it until the next one.
#pragma once

#include "worker_mutex.h"

namespace oxpool::php {

// Makes *lent (undefined before) the reference that the closure gets. The value is decoded only
// when it is another one than what was kept. False: the bytes are no value, and *lent is undefined.
// PHP's memory limit may jump out of it.
bool lend_value(WorkerMutex& mutex, const Value& value, zval* lent);

// Whether what the closure left is what was lent, as far as that is seen without a look into it.
bool is_unchanged(const WorkerMutex& mutex, const zval* left);

// Keeps what the closure left, which is what `version` decodes to now and has neither references
// nor objects. Takes *lent over. Runs no PHP code.
void keep_value(WorkerMutex& mutex, zval* lent, uint64_t version);

}  // namespace oxpool::php
