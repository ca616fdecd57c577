// OxPHP\Shared\Shareable: what is shared over the host. User code can not implement it.
#pragma once

#include "engine.h"

namespace oxpool::php {

extern zend_class_entry* shareable_interface;
void set_up_shareable_interface(zend_class_entry* registered);

}  // namespace oxpool::php
