#include "registered_pools.h"

#include <utility>

namespace oxpool::php {

namespace {

std::string text_of(const zend_string* string) {
  return std::string(ZSTR_VAL(string), ZSTR_LEN(string));
}

}  // namespace

zend_object* RegisteredPools::keep(const zend_string* name, zend_object* pool) {
  GC_ADDREF(pool);
  return std::exchange(kept_[text_of(name)], pool);
}

zend_object* RegisteredPools::take(const zend_string* name) {
  const auto found = kept_.find(text_of(name));
  if (found == kept_.end()) return nullptr;
  zend_object* pool = found->second;
  kept_.erase(found);
  return pool;
}

zend_object* RegisteredPools::take_any() {
  if (kept_.empty()) return nullptr;
  zend_object* pool = kept_.begin()->second;
  kept_.erase(kept_.begin());
  return pool;
}

void RegisteredPools::forget_all() {
  kept_.clear();
  making_.clear();
}

bool RegisteredPools::begin_making(const zend_string* name) {
  return making_.insert(text_of(name)).second;
}

void RegisteredPools::end_making(const zend_string* name) { making_.erase(text_of(name)); }

}  // namespace oxpool::php
