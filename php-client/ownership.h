// Who else has a resource, and what belongs to it alone.
#pragma once

#include "engine.h"

namespace oxpool::php {

// Whether anything but the pool's own reference and the object itself (its cycles) refers to it.
// Runs no PHP code.
bool held_elsewhere(zend_object* resource);

// Marks the object, and every object that only it leads to, as destroyed and freed: neither their
// destructors nor what closes them underneath will run. For what a forked child inherited. Runs no
// PHP code.
void never_destroy(zend_object* resource);

}  // namespace oxpool::php
