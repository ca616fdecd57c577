// What a closure of a mutex may return: scalars, null, shared objects, and arrays of those.
#pragma once

#include "engine.h"
#include "refused_value.h"

namespace oxpool::php {

// False: *refused says what is in the way. Takes no PHP memory and runs no PHP code.
bool may_be_returned(const zval* value, RefusedValue* refused);

}  // namespace oxpool::php
