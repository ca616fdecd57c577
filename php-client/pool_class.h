// OxPHP\Shared\Pool.
#pragma once

#include "engine.h"

namespace oxpool::php {

extern zend_class_entry* pool_class;
void set_up_pool_class(zend_class_entry* registered);

// Methods that only the extension calls.
zend_function* end_request_function();
zend_function* close_resource_function();

}  // namespace oxpool::php
