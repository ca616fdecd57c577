#include "exception_classes.h"

namespace oxpool::php {

zend_class_entry* async_exception;
zend_class_entry* operation_timeout_exception;
zend_class_entry* contention_exception;
zend_class_entry* deadlock_exception;
zend_class_entry* shared_exception;
zend_class_entry* type_exception;
zend_class_entry* stale_handle_exception;
zend_class_entry* uninitialized_exception;
zend_class_entry* capacity_exception;
zend_class_entry* value_too_large_exception;
zend_class_entry* closed_exception;
zend_class_entry* corrupted_mutex_exception;

void throw_not_shareable_by(const zend_class_entry* of, const char* what) {
  zend_throw_exception_ex(shared_exception, 0, "%s can not be %s", ZSTR_VAL(of->name), what);
}

}  // namespace oxpool::php
