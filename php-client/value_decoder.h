// PHP values from bytes: shm/value_format.h.
#pragma once

#include <string_view>

#include "engine.h"

namespace oxpool::php {

class Worker;

// Makes the value. *plain says that it has no object. False: the bytes are no value; *result is
// undefined then. They may change while they are read: nobody vouches for them. Runs no PHP code;
// PHP's memory limit may jump out of it.
bool decode_value(std::string_view bytes, Worker& worker, zval* result, bool* plain);

}  // namespace oxpool::php
