#include "refused_value.h"

#include "sentence.h"
#include "zend_enum.h"

namespace oxpool::php {

namespace {

constexpr size_t kShownKeyBytes = 40;
constexpr size_t kShownKeys = 12;

std::string kind_of(const zval* value) {
  if (Z_TYPE_P(value) != IS_OBJECT) return std::string("a ") + zend_zval_type_name(value);
  const zend_class_entry* type = Z_OBJCE_P(value);
  const std::string name(ZSTR_VAL(type->name), ZSTR_LEN(type->name));
  if (type == zend_ce_closure) return "a closure";
  if ((type->ce_flags & ZEND_ACC_ENUM) != 0) return "a case of the enum " + name;
  return "an object of class " + name;
}

}  // namespace

void RefusedValue::begin(const zval* value) { begin(kind_of(value)); }

void RefusedValue::add_key(const zend_string* key, zend_ulong index) {
  if (key == nullptr) {
    keys_.push_back(std::to_string(static_cast<zend_long>(index)));
  } else {
    keys_.push_back(quoted({ZSTR_VAL(key), ZSTR_LEN(key)}, kShownKeyBytes));
  }
}

std::string RefusedValue::text() const {
  if (keys_.empty()) return what_;
  std::string path;
  size_t shown = 0;
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    if (++shown > kShownKeys) {
      path += "…";
      break;
    }
    path += "[" + *key + "]";
  }
  return what_ + " at " + path;
}

}  // namespace oxpool::php
