// OxPHP\Shared\Registry: pools by name.
#pragma once

#include "engine.h"

namespace oxpool::php {

extern zend_class_entry* registry_class;

void set_up_registry_class(zend_class_entry* registered);

}  // namespace oxpool::php
