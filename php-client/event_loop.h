// For programs that run an event loop: the stream that says when tick() is to be called.
#pragma once

#include "worker.h"

namespace oxpool::php {

// The worker's one stream, as a new reference in *result. False: no descriptor left.
bool wake_stream(Worker& worker, zval* result);

}  // namespace oxpool::php
