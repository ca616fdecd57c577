// OxPHP\Shared\Pool\Handle: a resource in use.
#pragma once

#include "engine.h"
#include "holding.h"

namespace oxpool::php {

struct HandleObject {
  Holding* holding;  // null once it was given back
  zend_object std;
};

extern zend_class_entry* handle_class;
void set_up_handle_class(zend_class_entry* registered);

// A Handle of a holding in use.
void make_handle(zval* result, Holding& holding);

// The resource is on its way out of the Handle's hands.
inline void detach_handle(Holding& holding) {
  holding.handle->holding = nullptr;
  holding.handle = nullptr;
}

}  // namespace oxpool::php
