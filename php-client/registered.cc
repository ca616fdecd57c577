#include "registered.h"

#include <utility>

namespace oxpool::php {

namespace {

std::string text_of(const zend_string* string) {
  return std::string(ZSTR_VAL(string), ZSTR_LEN(string));
}

}  // namespace

zend_object* Registered::keep(const zend_string* name, zend_object* object) {
  GC_ADDREF(object);
  return std::exchange(kept_[text_of(name)], object);
}

zend_object* Registered::take(const zend_string* name) {
  const auto found = kept_.find(text_of(name));
  if (found == kept_.end()) return nullptr;
  zend_object* object = found->second;
  kept_.erase(found);
  return object;
}

zend_object* Registered::find(const zend_string* name) const {
  const auto found = kept_.find(text_of(name));
  return found == kept_.end() ? nullptr : found->second;
}

zend_object* Registered::take_any() {
  if (kept_.empty()) return nullptr;
  zend_object* object = kept_.begin()->second;
  kept_.erase(kept_.begin());
  return object;
}

void Registered::forget_all() {
  kept_.clear();
  making_.clear();
}

bool Registered::begin_making(const zend_string* name) {
  return making_.insert(text_of(name)).second;
}

void Registered::end_making(const zend_string* name) { making_.erase(text_of(name)); }

}  // namespace oxpool::php
