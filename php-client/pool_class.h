// OxPHP\Shared\Pool.
#pragma once

#include "engine.h"

namespace oxpool::php {

extern zend_class_entry* pool_class;
void set_up_pool_class(zend_class_entry* registered);

struct PoolCore;
// Of a Pool object; null while its constructor has not finished.
PoolCore* core_of_pool(zend_object* object);
// Once, when it has finished; null when it failed.
void give_core(zend_object* object, PoolCore* core);

// Methods that only the extension calls.
zend_function* end_request_function();
zend_function* close_resource_function();

}  // namespace oxpool::php
