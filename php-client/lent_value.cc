#include "lent_value.h"

#include "value_decoder.h"

namespace oxpool::php {

namespace {

// An array or a string up to here is lent to the body itself, so that it is changed in place, and
// encoded again to see whether it was; a longer one is lent as a second reference: if the body only
// reads, that is seen without a look at it.
constexpr size_t kLentBytes = 512;

}  // namespace

bool lend_value(WorkerMutex& mutex, const Value& value, zval* lent) {
  ZVAL_NEW_EMPTY_REF(lent);
  zval* inside = Z_REFVAL_P(lent);
  ZVAL_NULL(inside);
  if (UNEXPECTED(mutex.kept_version != value.version)) {
    mutex.drop_kept();
    bool plain;
    zval decoded;
    if (!decode_value(value.bytes, mutex.worker, &decoded, &plain)) {
      zval_ptr_dtor(lent);
      ZVAL_UNDEF(lent);
      return false;
    }
    if (UNEXPECTED(!plain)) {
      ZVAL_COPY_VALUE(inside, &decoded);
      return true;
    }
    ZVAL_COPY_VALUE(&mutex.kept, &decoded);
    mutex.kept_version = value.version;
  }
  if (Z_REFCOUNTED(mutex.kept) && value.bytes.size() <= kLentBytes) {
    ZVAL_COPY_VALUE(inside, &mutex.kept);
    ZVAL_UNDEF(&mutex.kept);
    mutex.kept_version = 0;
  } else {
    ZVAL_COPY(inside, &mutex.kept);
  }
  return true;
}

// Strings and arrays that are shared are copied before they are changed: their address tells.
bool is_unchanged(const WorkerMutex& mutex, const zval* left) {
  if (mutex.kept_version == 0 || Z_TYPE_P(left) != Z_TYPE(mutex.kept)) return false;
  switch (Z_TYPE_P(left)) {
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
      return true;
    default:  // all bits of a number; the address of anything else
      return memcmp(&left->value, &mutex.kept.value, sizeof left->value) == 0;
  }
}

void keep_value(WorkerMutex& mutex, zval* lent, uint64_t version) {
  zval_ptr_dtor(&mutex.kept);
  zend_unwrap_reference(lent);
  ZVAL_COPY_VALUE(&mutex.kept, lent);
  ZVAL_UNDEF(lent);
  mutex.kept_version = version;
}

}  // namespace oxpool::php
