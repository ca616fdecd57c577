#include "shareable.h"

namespace oxpool::php {

namespace {

int refuse_user_classes(zend_class_entry* interface, zend_class_entry* implementing) {
  if (implementing->type == ZEND_INTERNAL_CLASS) return SUCCESS;
  zend_error_noreturn(E_ERROR, "Class %s can not implement %s", ZSTR_VAL(implementing->name),
                      ZSTR_VAL(interface->name));
}

}  // namespace

zend_class_entry* shareable_interface;

void set_up_shareable_interface(zend_class_entry* registered) {
  shareable_interface = registered;
  registered->interface_gets_implemented = refuse_user_classes;
}

}  // namespace oxpool::php
