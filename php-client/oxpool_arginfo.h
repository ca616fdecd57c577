/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: e5a49989e8dc1011f1055f9a84c1482696def09e */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OxPHP_Shared_Pool___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, factory, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, destroy, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxSize, IS_LONG, 0, "32")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleTimeoutMs, IS_LONG, 0, "300000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, validate, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, validateAfterIdleMs, IS_LONG, 0, "500")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reset, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minIdle, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxLifetimeMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxWaiting, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, leakAfterMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, rebalance, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, patienceMs, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, closeWaitMs, IS_LONG, 0, "100")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, persistent, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, acceptGate, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Pool_acquire, 0, 0, OxPHP\\Shared\\Pool\\Handle, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Pool_tryAcquire, 0, 0, OxPHP\\Shared\\Pool\\Handle, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Pool_acquireTimeout, 0, 1, OxPHP\\Shared\\Pool\\Handle, 0)
	ZEND_ARG_TYPE_INFO(0, ms, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_with, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, body, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_withTimeout, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, body, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO(0, ms, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Pool_stats, 0, 0, OxPHP\\Shared\\Pool\\Stats, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_evict, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_warm, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, n, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_sweep, 0, 2, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, check, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Pool_tick arginfo_class_OxPHP_Shared_Pool_evict

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OxPHP_Shared_Pool_wakeStream, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Pool_id arginfo_class_OxPHP_Shared_Pool_evict

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_name, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool___serialize, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool___unserialize, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_endRequest, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Pool_closeResource arginfo_class_OxPHP_Shared_Pool_endRequest

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OxPHP_Shared_Mutex___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, initial, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, onOwnerDeath, IS_STRING, 0, "OxPHP\\Shared\\Mutex::CORRUPT")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Mutex_withLock, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, fn, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Mutex_tryWithLock arginfo_class_OxPHP_Shared_Mutex_withLock

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Mutex_withLockTimeout, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, fn, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO(0, ms, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Mutex_id arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Mutex_name arginfo_class_OxPHP_Shared_Pool_name

#define arginfo_class_OxPHP_Shared_Mutex___serialize arginfo_class_OxPHP_Shared_Pool___serialize

#define arginfo_class_OxPHP_Shared_Mutex___unserialize arginfo_class_OxPHP_Shared_Pool___unserialize

#define arginfo_class_OxPHP_Shared_Registry___construct arginfo_class_OxPHP_Shared_Pool_wakeStream

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Registry_pool, 0, 2, OxPHP\\Shared\\Pool, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, factory, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Registry_mutex, 0, 2, OxPHP\\Shared\\Mutex, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, factory, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OxPHP_Shared_Registry_global, 0, 2, OxPHP\\Shared\\Shareable, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, factory, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Registry_remove, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Registry_keys arginfo_class_OxPHP_Shared_Pool___serialize

#define arginfo_class_OxPHP_Shared_Registry_count arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Registry_memoryUsage arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Pool_Handle___construct arginfo_class_OxPHP_Shared_Pool_wakeStream

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_Handle_get, 0, 0, IS_MIXED, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OxPHP_Shared_Pool_Handle_release arginfo_class_OxPHP_Shared_Pool_endRequest

#define arginfo_class_OxPHP_Shared_Pool_Handle_discard arginfo_class_OxPHP_Shared_Pool_endRequest

#define arginfo_class_OxPHP_Shared_Pool_Handle___serialize arginfo_class_OxPHP_Shared_Pool___serialize

#define arginfo_class_OxPHP_Shared_Pool_Handle___unserialize arginfo_class_OxPHP_Shared_Pool___unserialize

#define arginfo_class_OxPHP_Shared_Pool_Stats___construct arginfo_class_OxPHP_Shared_Pool_wakeStream

#define arginfo_class_OxPHP_Shared_Pool_Stats_inUse arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Pool_Stats_idle arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Pool_Stats_waiting arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Pool_Stats_size arginfo_class_OxPHP_Shared_Pool_evict

#define arginfo_class_OxPHP_Shared_Pool_Stats_maxSize arginfo_class_OxPHP_Shared_Pool_evict

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OxPHP_Shared_Pool_Stats_utilization, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(OxPHP_Shared_Pool, __construct);
ZEND_METHOD(OxPHP_Shared_Pool, acquire);
ZEND_METHOD(OxPHP_Shared_Pool, tryAcquire);
ZEND_METHOD(OxPHP_Shared_Pool, acquireTimeout);
ZEND_METHOD(OxPHP_Shared_Pool, with);
ZEND_METHOD(OxPHP_Shared_Pool, withTimeout);
ZEND_METHOD(OxPHP_Shared_Pool, stats);
ZEND_METHOD(OxPHP_Shared_Pool, evict);
ZEND_METHOD(OxPHP_Shared_Pool, warm);
ZEND_METHOD(OxPHP_Shared_Pool, sweep);
ZEND_METHOD(OxPHP_Shared_Pool, tick);
ZEND_METHOD(OxPHP_Shared_Pool, wakeStream);
ZEND_METHOD(OxPHP_Shared_Pool, id);
ZEND_METHOD(OxPHP_Shared_Pool, name);
ZEND_METHOD(OxPHP_Shared_Pool, __serialize);
ZEND_METHOD(OxPHP_Shared_Pool, __unserialize);
ZEND_METHOD(OxPHP_Shared_Pool, endRequest);
ZEND_METHOD(OxPHP_Shared_Pool, closeResource);
ZEND_METHOD(OxPHP_Shared_Mutex, __construct);
ZEND_METHOD(OxPHP_Shared_Mutex, withLock);
ZEND_METHOD(OxPHP_Shared_Mutex, tryWithLock);
ZEND_METHOD(OxPHP_Shared_Mutex, withLockTimeout);
ZEND_METHOD(OxPHP_Shared_Mutex, id);
ZEND_METHOD(OxPHP_Shared_Mutex, name);
ZEND_METHOD(OxPHP_Shared_Mutex, __serialize);
ZEND_METHOD(OxPHP_Shared_Mutex, __unserialize);
ZEND_METHOD(OxPHP_Shared_Registry, __construct);
ZEND_METHOD(OxPHP_Shared_Registry, pool);
ZEND_METHOD(OxPHP_Shared_Registry, mutex);
ZEND_METHOD(OxPHP_Shared_Registry, global);
ZEND_METHOD(OxPHP_Shared_Registry, remove);
ZEND_METHOD(OxPHP_Shared_Registry, keys);
ZEND_METHOD(OxPHP_Shared_Registry, count);
ZEND_METHOD(OxPHP_Shared_Registry, memoryUsage);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, __construct);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, get);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, release);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, discard);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, __serialize);
ZEND_METHOD(OxPHP_Shared_Pool_Handle, __unserialize);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, __construct);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, inUse);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, idle);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, waiting);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, size);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, maxSize);
ZEND_METHOD(OxPHP_Shared_Pool_Stats, utilization);


static const zend_function_entry class_OxPHP_Async_AsyncException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Shareable_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_OperationTimeoutException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_ContentionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_DeadlockException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_SharedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_TypeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_StaleHandleException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_UninitializedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_CapacityException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_ValueTooLargeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_ClosedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_CorruptedMutexException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Pool_methods[] = {
	ZEND_ME(OxPHP_Shared_Pool, __construct, arginfo_class_OxPHP_Shared_Pool___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, acquire, arginfo_class_OxPHP_Shared_Pool_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, tryAcquire, arginfo_class_OxPHP_Shared_Pool_tryAcquire, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, acquireTimeout, arginfo_class_OxPHP_Shared_Pool_acquireTimeout, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, with, arginfo_class_OxPHP_Shared_Pool_with, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, withTimeout, arginfo_class_OxPHP_Shared_Pool_withTimeout, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, stats, arginfo_class_OxPHP_Shared_Pool_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, evict, arginfo_class_OxPHP_Shared_Pool_evict, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, warm, arginfo_class_OxPHP_Shared_Pool_warm, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, sweep, arginfo_class_OxPHP_Shared_Pool_sweep, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, tick, arginfo_class_OxPHP_Shared_Pool_tick, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, wakeStream, arginfo_class_OxPHP_Shared_Pool_wakeStream, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, id, arginfo_class_OxPHP_Shared_Pool_id, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, name, arginfo_class_OxPHP_Shared_Pool_name, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, __serialize, arginfo_class_OxPHP_Shared_Pool___serialize, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, __unserialize, arginfo_class_OxPHP_Shared_Pool___unserialize, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool, endRequest, arginfo_class_OxPHP_Shared_Pool_endRequest, ZEND_ACC_PRIVATE|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Pool, closeResource, arginfo_class_OxPHP_Shared_Pool_closeResource, ZEND_ACC_PRIVATE|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Mutex_methods[] = {
	ZEND_ME(OxPHP_Shared_Mutex, __construct, arginfo_class_OxPHP_Shared_Mutex___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, withLock, arginfo_class_OxPHP_Shared_Mutex_withLock, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, tryWithLock, arginfo_class_OxPHP_Shared_Mutex_tryWithLock, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, withLockTimeout, arginfo_class_OxPHP_Shared_Mutex_withLockTimeout, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, id, arginfo_class_OxPHP_Shared_Mutex_id, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, name, arginfo_class_OxPHP_Shared_Mutex_name, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, __serialize, arginfo_class_OxPHP_Shared_Mutex___serialize, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Mutex, __unserialize, arginfo_class_OxPHP_Shared_Mutex___unserialize, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Registry_methods[] = {
	ZEND_ME(OxPHP_Shared_Registry, __construct, arginfo_class_OxPHP_Shared_Registry___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Registry, pool, arginfo_class_OxPHP_Shared_Registry_pool, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, mutex, arginfo_class_OxPHP_Shared_Registry_mutex, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, global, arginfo_class_OxPHP_Shared_Registry_global, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, remove, arginfo_class_OxPHP_Shared_Registry_remove, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, keys, arginfo_class_OxPHP_Shared_Registry_keys, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, count, arginfo_class_OxPHP_Shared_Registry_count, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OxPHP_Shared_Registry, memoryUsage, arginfo_class_OxPHP_Shared_Registry_memoryUsage, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Pool_Handle_methods[] = {
	ZEND_ME(OxPHP_Shared_Pool_Handle, __construct, arginfo_class_OxPHP_Shared_Pool_Handle___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(OxPHP_Shared_Pool_Handle, get, arginfo_class_OxPHP_Shared_Pool_Handle_get, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Handle, release, arginfo_class_OxPHP_Shared_Pool_Handle_release, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Handle, discard, arginfo_class_OxPHP_Shared_Pool_Handle_discard, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Handle, __serialize, arginfo_class_OxPHP_Shared_Pool_Handle___serialize, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Handle, __unserialize, arginfo_class_OxPHP_Shared_Pool_Handle___unserialize, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_OxPHP_Shared_Pool_Stats_methods[] = {
	ZEND_ME(OxPHP_Shared_Pool_Stats, __construct, arginfo_class_OxPHP_Shared_Pool_Stats___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(OxPHP_Shared_Pool_Stats, inUse, arginfo_class_OxPHP_Shared_Pool_Stats_inUse, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Stats, idle, arginfo_class_OxPHP_Shared_Pool_Stats_idle, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Stats, waiting, arginfo_class_OxPHP_Shared_Pool_Stats_waiting, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Stats, size, arginfo_class_OxPHP_Shared_Pool_Stats_size, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Stats, maxSize, arginfo_class_OxPHP_Shared_Pool_Stats_maxSize, ZEND_ACC_PUBLIC)
	ZEND_ME(OxPHP_Shared_Pool_Stats, utilization, arginfo_class_OxPHP_Shared_Pool_Stats_utilization, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_OxPHP_Async_AsyncException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Async", "AsyncException", class_OxPHP_Async_AsyncException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Shareable(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "Shareable", class_OxPHP_Shared_Shareable_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_OperationTimeoutException(zend_class_entry *class_entry_OxPHP_Async_AsyncException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "OperationTimeoutException", class_OxPHP_Shared_OperationTimeoutException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Async_AsyncException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_ContentionException(zend_class_entry *class_entry_OxPHP_Async_AsyncException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "ContentionException", class_OxPHP_Shared_ContentionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Async_AsyncException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_DeadlockException(zend_class_entry *class_entry_OxPHP_Async_AsyncException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "DeadlockException", class_OxPHP_Shared_DeadlockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Async_AsyncException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_SharedException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "SharedException", class_OxPHP_Shared_SharedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_TypeException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "TypeException", class_OxPHP_Shared_TypeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_StaleHandleException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "StaleHandleException", class_OxPHP_Shared_StaleHandleException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_UninitializedException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "UninitializedException", class_OxPHP_Shared_UninitializedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_CapacityException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "CapacityException", class_OxPHP_Shared_CapacityException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_ValueTooLargeException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "ValueTooLargeException", class_OxPHP_Shared_ValueTooLargeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_ClosedException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "ClosedException", class_OxPHP_Shared_ClosedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_CorruptedMutexException(zend_class_entry *class_entry_OxPHP_Shared_SharedException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "CorruptedMutexException", class_OxPHP_Shared_CorruptedMutexException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OxPHP_Shared_SharedException);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Pool(zend_class_entry *class_entry_OxPHP_Shared_Shareable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "Pool", class_OxPHP_Shared_Pool_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;
	zend_class_implements(class_entry, 1, class_entry_OxPHP_Shared_Shareable);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Mutex(zend_class_entry *class_entry_OxPHP_Shared_Shareable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "Mutex", class_OxPHP_Shared_Mutex_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;
	zend_class_implements(class_entry, 1, class_entry_OxPHP_Shared_Shareable);

	zval const_CORRUPT_value;
	zend_string *const_CORRUPT_value_str = zend_string_init("corrupt", strlen("corrupt"), 1);
	ZVAL_STR(&const_CORRUPT_value, const_CORRUPT_value_str);
	zend_string *const_CORRUPT_name = zend_string_init_interned("CORRUPT", sizeof("CORRUPT") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CORRUPT_name, &const_CORRUPT_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CORRUPT_name);

	zval const_RECOVER_value;
	zend_string *const_RECOVER_value_str = zend_string_init("recover", strlen("recover"), 1);
	ZVAL_STR(&const_RECOVER_value, const_RECOVER_value_str);
	zend_string *const_RECOVER_name = zend_string_init_interned("RECOVER", sizeof("RECOVER") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_RECOVER_name, &const_RECOVER_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_RECOVER_name);

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Registry(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared", "Registry", class_OxPHP_Shared_Registry_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Pool_Handle(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared\\Pool", "Handle", class_OxPHP_Shared_Pool_Handle_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}

static zend_class_entry *register_class_OxPHP_Shared_Pool_Stats(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OxPHP\\Shared\\Pool", "Stats", class_OxPHP_Shared_Pool_Stats_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}
