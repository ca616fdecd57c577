#include "milliseconds_argument.h"

#include <algorithm>
#include <limits>

#include "exception_classes.h"
#include "shm/clock.h"

namespace oxpool::php {

namespace {

constexpr int64_t kMostMs = std::numeric_limits<int64_t>::max() / shm::kNanosPerMilli;

void throw_type(uint32_t position, const char* given) {
  const char* space;
  const char* class_name = get_active_class_name(&space);
  zend_throw_exception_ex(
      type_exception, 0,
      "%s%s%s(): Argument #%u ($ms) must be a positive int (milliseconds), %s given", class_name,
      space, get_active_function_name(), position, given);
}

}  // namespace

bool read_milliseconds(zend_execute_data* execute_data, uint32_t position, int64_t* timeout_ns) {
  if (ZEND_NUM_ARGS() < position) {
    throw_type(position, "none");
    return false;
  }
  const zval* argument = ZEND_CALL_ARG(execute_data, position);
  ZVAL_DEREF(argument);
  if (Z_TYPE_P(argument) != IS_LONG) {
    throw_type(position, zend_zval_type_name(argument));
    return false;
  }
  if (Z_LVAL_P(argument) <= 0) {
    char given[32];
    snprintf(given, sizeof given, ZEND_LONG_FMT, Z_LVAL_P(argument));
    throw_type(position, given);
    return false;
  }
  *timeout_ns = std::min<int64_t>(Z_LVAL_P(argument), kMostMs) * shm::kNanosPerMilli;
  return true;
}

}  // namespace oxpool::php
