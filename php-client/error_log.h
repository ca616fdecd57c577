// What goes wrong where no exception may be raised: one line in PHP's error log, with the pool's
// name.
#pragma once

#include <string_view>

#include "engine.h"

namespace oxpool::php {

struct WorkerPool;

// "oxpool: pool '…': WHAT". Never an error that a handler could turn into an exception.
void log_about(const WorkerPool& pool, std::string_view what);

// "oxpool: WHAT"
void log_line(std::string_view what);

// "oxpool: pool '…': WHAT: CLASS: message in file:line"
void log_exception(const WorkerPool& pool, std::string_view what, zend_object* exception);

}  // namespace oxpool::php
