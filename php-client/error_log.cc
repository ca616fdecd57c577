#include "error_log.h"

#include <syslog.h>

#include <string>

#include "sentence.h"
#include "worker_pool.h"

namespace oxpool::php {

namespace {

// A property of an exception; they are declared, so reading them runs no PHP code.
zval* property(zend_object* exception, const char* name) {
  static thread_local zval nothing;
  ZVAL_NULL(&nothing);
  zend_class_entry* base =
      instanceof_function(exception->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
  zval* found = zend_read_property(base, exception, name, strlen(name), true, &nothing);
  ZVAL_DEREF(found);
  return found;
}

std::string text_of(const zval* value) {
  if (Z_TYPE_P(value) == IS_STRING) return std::string(Z_STRVAL_P(value), Z_STRLEN_P(value));
  if (Z_TYPE_P(value) == IS_LONG) return std::to_string(Z_LVAL_P(value));
  return "";
}

void describe(const WorkerPool& pool, std::string_view what, zend_object* exception,
              Sentence* sentence) {
  std::string text = "oxpool: pool " + quoted(pool.name) + ": ";
  text += what;
  if (exception != nullptr) {
    text += ": " + std::string(ZSTR_VAL(exception->ce->name), ZSTR_LEN(exception->ce->name));
    text += ": " + text_of(property(exception, "message"));
    text +=
        " in " + text_of(property(exception, "file")) + ":" + text_of(property(exception, "line"));
  }
  sentence->set(text);
}

}  // namespace

void log_about(const WorkerPool& pool, std::string_view what) {
  log_exception(pool, what, nullptr);
}

void log_line(std::string_view what) {
  Sentence sentence;
  sentence.set("oxpool: " + std::string(what));
  php_log_err_with_severity(sentence.text, LOG_WARNING);
}

void log_exception(const WorkerPool& pool, std::string_view what, zend_object* exception) {
  Sentence sentence;
  describe(pool, what, exception, &sentence);
  php_log_err_with_severity(sentence.text, LOG_WARNING);
}

}  // namespace oxpool::php
