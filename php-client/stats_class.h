// OxPHP\Shared\Pool\Stats: a pool's counts at a moment.
#pragma once

#include "engine.h"
#include "shm/snapshot.h"

namespace oxpool::php {

extern zend_class_entry* stats_class;
void set_up_stats_class(zend_class_entry* registered);

void make_stats(zval* result, const shm::PoolCounts& counts);

}  // namespace oxpool::php
