// The module as PHP's build system wants to see it.
#ifndef PHP_OXPOOL_H
#define PHP_OXPOOL_H

#include "php.h"

#define PHP_OXPOOL_VERSION "0.1.0"

extern zend_module_entry oxpool_module_entry;
#define phpext_oxpool_ptr &oxpool_module_entry

#endif
