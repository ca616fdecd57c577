// The module: what PHP calls when it loads, and at the ends of requests and threads.
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "php_oxpool.h"

#include "between_requests.h"
#include "classes.h"
#include "engine.h"
#include "error_log.h"
#include "info.h"
#include "persistent_slots.h"
#include "request_end.h"
#include "settings.h"
#include "worker.h"

using oxpool::php::Worker;

// Only for its destructor, which thread-safe PHP calls when a thread ends.
ZEND_BEGIN_MODULE_GLOBALS(oxpool)
bool unused;
ZEND_END_MODULE_GLOBALS(oxpool)
ZEND_DECLARE_MODULE_GLOBALS(oxpool)

namespace {

// A server that brings the classes itself keeps its own.
bool elsewhere = false;

PHP_MINIT_FUNCTION(oxpool) {
  oxpool::php::register_settings(module_number);
  elsewhere = oxpool::php::classes_exist();
  if (elsewhere) {
    oxpool::php::log_line(
        "the class OxPHP\\Shared\\Pool exists already: this server brings its own, and the "
        "extension registers nothing");
  } else {
    oxpool::php::register_classes();
    oxpool::php::register_list_end(module_number);
    oxpool::php::hook_ends_of_responses();
  }
  return SUCCESS;
}

PHP_MSHUTDOWN_FUNCTION(oxpool) {
  oxpool::php::unhook_ends_of_responses();
  Worker::end_thread();
  oxpool::php::unregister_settings(module_number);
  return SUCCESS;
}

PHP_RINIT_FUNCTION(oxpool) {
  oxpool::php::read_wake_signal();
  if (Worker* worker = Worker::existing()) {
    oxpool::php::wake_up(*worker);
    oxpool::php::close_parked_at_start(*worker);
  }
  return SUCCESS;
}

PHP_RSHUTDOWN_FUNCTION(oxpool) {
  if (Worker* worker = Worker::existing()) oxpool::php::close_request(*worker);
  return SUCCESS;
}

zend_result post_deactivate() {
  if (Worker* worker = Worker::existing()) oxpool::php::forget_request(*worker);
  return SUCCESS;
}

PHP_GSHUTDOWN_FUNCTION(oxpool) { Worker::end_thread(); }

PHP_MINFO_FUNCTION(oxpool) {
  oxpool::php::print_info(elsewhere);
  DISPLAY_INI_ENTRIES();
}

// Ours ends a request before theirs: destroy callbacks may use their connections then.
// clang-format off
const zend_module_dep dependencies[] = {
    ZEND_MOD_OPTIONAL("mysqli")
    ZEND_MOD_OPTIONAL("pdo")
    ZEND_MOD_OPTIONAL("pgsql")
    ZEND_MOD_OPTIONAL("redis")
    ZEND_MOD_END
};
// clang-format on

}  // namespace

zend_module_entry oxpool_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    nullptr,
    dependencies,
    "oxpool",
    nullptr,
    PHP_MINIT(oxpool),
    PHP_MSHUTDOWN(oxpool),
    PHP_RINIT(oxpool),
    PHP_RSHUTDOWN(oxpool),
    PHP_MINFO(oxpool),
    PHP_OXPOOL_VERSION,
    PHP_MODULE_GLOBALS(oxpool),
    nullptr,
    PHP_GSHUTDOWN(oxpool),
    post_deactivate,
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_OXPOOL
extern "C" {
ZEND_GET_MODULE(oxpool)
}
#endif
