// The classes of spec §1.5. Set at module start, then constant.
#pragma once

#include "engine.h"

namespace oxpool::php {

extern zend_class_entry* async_exception;
extern zend_class_entry* operation_timeout_exception;
extern zend_class_entry* contention_exception;
extern zend_class_entry* deadlock_exception;
extern zend_class_entry* shared_exception;
extern zend_class_entry* type_exception;
extern zend_class_entry* stale_handle_exception;
extern zend_class_entry* uninitialized_exception;
extern zend_class_entry* capacity_exception;
extern zend_class_entry* value_too_large_exception;
extern zend_class_entry* closed_exception;
extern zend_class_entry* corrupted_mutex_exception;

// The SharedException of clone, serialize and unserialize; `what` is their past participle.
void throw_not_shareable_by(const zend_class_entry* of, const char* what);

}  // namespace oxpool::php
