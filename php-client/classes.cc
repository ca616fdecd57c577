#include "classes.h"

#include "engine.h"
#include "exception_classes.h"
#include "handle_class.h"
#include "mutex_class.h"
#include "oxpool_arginfo.h"
#include "pool_class.h"
#include "registry_class.h"
#include "shareable.h"
#include "stats_class.h"

namespace oxpool::php {

namespace {

void register_exceptions() {
  async_exception = register_class_OxPHP_Async_AsyncException(zend_ce_exception);
  operation_timeout_exception =
      register_class_OxPHP_Shared_OperationTimeoutException(async_exception);
  contention_exception = register_class_OxPHP_Shared_ContentionException(async_exception);
  deadlock_exception = register_class_OxPHP_Shared_DeadlockException(async_exception);
  shared_exception = register_class_OxPHP_Shared_SharedException(zend_ce_exception);
  type_exception = register_class_OxPHP_Shared_TypeException(shared_exception);
  stale_handle_exception = register_class_OxPHP_Shared_StaleHandleException(shared_exception);
  uninitialized_exception = register_class_OxPHP_Shared_UninitializedException(shared_exception);
  capacity_exception = register_class_OxPHP_Shared_CapacityException(shared_exception);
  value_too_large_exception = register_class_OxPHP_Shared_ValueTooLargeException(shared_exception);
  closed_exception = register_class_OxPHP_Shared_ClosedException(shared_exception);
  corrupted_mutex_exception = register_class_OxPHP_Shared_CorruptedMutexException(shared_exception);
}

}  // namespace

bool classes_exist() {
  static constexpr char kPool[] = "oxphp\\shared\\pool";
  return zend_hash_str_exists(CG(class_table), kPool, sizeof kPool - 1);
}

void register_classes() {
  register_exceptions();
  zend_class_entry* shareable = register_class_OxPHP_Shared_Shareable();
  set_up_shareable_interface(shareable);
  set_up_pool_class(register_class_OxPHP_Shared_Pool(shareable));
  set_up_mutex_class(register_class_OxPHP_Shared_Mutex(shareable));
  set_up_handle_class(register_class_OxPHP_Shared_Pool_Handle());
  set_up_registry_class(register_class_OxPHP_Shared_Registry());
  set_up_stats_class(register_class_OxPHP_Shared_Pool_Stats());
}

}  // namespace oxpool::php
