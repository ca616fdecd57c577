#include "return_value.h"

#include <algorithm>

#include "shareable.h"
#include "shm/value_format.h"

namespace oxpool::php {

namespace {

struct Walk {
  const HashTable* open[shm::kMaxValueDepth];  // the arrays that it is inside of
  RefusedValue* refused;

  bool value(const zval* value, int depth) {
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) <= IS_STRING) return true;
    if (Z_TYPE_P(value) == IS_ARRAY) return array(Z_ARRVAL_P(value), depth);
    if (Z_TYPE_P(value) == IS_OBJECT &&
        instanceof_function(Z_OBJCE_P(value), shareable_interface)) {
      return true;
    }
    refused->begin(value);
    return false;
  }

  bool array(const HashTable* array, int depth) {
    if (depth == shm::kMaxValueDepth || std::find(open, open + depth, array) != open + depth) {
      refused->begin("an array that contains itself or is nested too deep");
      return false;
    }
    open[depth] = array;
    zend_ulong index;
    zend_string* key;
    zval* element;
    ZEND_HASH_FOREACH_KEY_VAL_IND(const_cast<HashTable*>(array), index, key, element) {
      if (Z_TYPE_P(element) <= IS_STRING || value(element, depth + 1)) continue;
      refused->add_key(key, index);
      return false;
    }
    ZEND_HASH_FOREACH_END();
    return true;
  }
};

}  // namespace

bool may_be_returned(const zval* value, RefusedValue* refused) {
  Walk walk;
  walk.refused = refused;
  return walk.value(value, 0);
}

}  // namespace oxpool::php
