// The argument $ms of the timed methods.
#pragma once

#include <cstdint>

#include "engine.h"

namespace oxpool::php {

// Reads the running method's argument $ms at `position` (from 1) as nanoseconds. False with
// TypeException pending when it is missing or not a positive int. Nothing is converted: a float or
// "100" is more likely seconds or a mistake than meant so.
bool read_milliseconds(zend_execute_data* execute_data, uint32_t position, int64_t* timeout_ns);

}  // namespace oxpool::php
