#include "pool_class.h"

#include "closing.h"
#include "exception_classes.h"
#include "handle_class.h"
#include "milliseconds_argument.h"
#include "new_pool.h"
#include "request_end.h"
#include "stats_class.h"
#include "taking.h"

namespace oxpool::php {

zend_class_entry* pool_class;

namespace {

struct PoolObject {
  PoolCore* core;  // null until the constructor has finished
  zend_object std;
};

zend_object_handlers handlers;
zend_function* end_request;
zend_function* close_resource_frame;

PoolObject* pool_of(zend_object* object) {
  return reinterpret_cast<PoolObject*>(reinterpret_cast<char*>(object) -
                                       XtOffsetOf(PoolObject, std));
}

zend_object* create(zend_class_entry* entry) {
  auto* pool = static_cast<PoolObject*>(emalloc(sizeof(PoolObject)));
  pool->core = nullptr;
  zend_object_std_init(&pool->std, entry);
  pool->std.handlers = &handlers;
  return &pool->std;
}

// Runs where PHP code may: with the last object of a pool its idle resources go.
void destruct(zend_object* object) {
  PoolCore* core = pool_of(object)->core;
  if (core != nullptr && drop(core)) close_idle(*core->pool, shm::CloseReason::kPoolDropped);
}

void free_storage(zend_object* object) {
  PoolCore* core = pool_of(object)->core;
  if (core != nullptr) {
    pool_of(object)->core = nullptr;
    drop(core);
    release(core);
  }
  zend_object_std_dtor(object);
}

zend_object* refuse_clone(zend_object* object) {
  throw_not_shareable_by(object->ce, "cloned");
  zend_object* empty = create(object->ce);  // the engine wants one to throw away
  GC_ADD_FLAGS(empty, IS_OBJ_DESTRUCTOR_CALLED);
  return empty;
}

// Of the objects of one pool, the newest tells of the idle resources: each reference must be told
// of once.
bool tells_of_idle_resources(const PoolCore& core) {
  for (const PoolCore* other = core.pool->cores; other != nullptr; other = other->older) {
    if (!other->dropped) return other == &core;
  }
  return false;
}

// What the cycle collector is told. While the destructor has not run, whatever it is told of
// survives this round (the collector runs the destructor first), so idle resources and callbacks
// are told of freely. Afterwards the callbacks are this object's alone only when no resource needs
// them any more.
HashTable* collect(zend_object* object, zval** table, int* count) {
  zend_get_gc_buffer* buffer = zend_get_gc_buffer_create();
  PoolCore* core = pool_of(object)->core;
  if (core != nullptr && (!core->dropped || core->references == 1)) {
    zend_get_gc_buffer_add_zval(buffer, &core->factory.callable);
    zend_get_gc_buffer_add_zval(buffer, &core->destroy.callable);
  }
  if (core != nullptr && tells_of_idle_resources(*core)) {
    for (Holding* holding = core->pool->holdings; holding != nullptr; holding = holding->older) {
      if (holding->state != HoldingState::kIdle) continue;
      zend_get_gc_buffer_add_obj(buffer, holding->resource);
    }
  }
  zend_get_gc_buffer_use(buffer, table, count);
  return nullptr;
}

// For var_dump(): name, id and counts; never resources or callbacks, which know passwords.
zend_array* shown(zend_object* object, zend_prop_purpose purpose) {
  if (purpose != ZEND_PROP_PURPOSE_DEBUG) return zend_std_get_properties_for(object, purpose);
  zval result;
  array_init(&result);
  const PoolCore* core = pool_of(object)->core;
  if (core == nullptr) return Z_ARRVAL(result);
  const WorkerPool& pool = *core->pool;
  add_assoc_stringl(&result, "name", pool.name.data(), pool.name.size());
  if (pool.budget == nullptr || !pool.worker.usable()) return Z_ARRVAL(result);
  const shm::PoolCounts counts = pool.budget->counts();
  add_assoc_long(&result, "id", static_cast<zend_long>(pool.budget->id()));
  add_assoc_long(&result, "inUse", counts.in_use);
  add_assoc_long(&result, "idle", counts.idle);
  add_assoc_long(&result, "minting", counts.minting);
  add_assoc_long(&result, "closing", counts.closing);
  add_assoc_long(&result, "waiting", counts.waiting);
  add_assoc_long(&result, "maxSize", counts.max_size);
  return Z_ARRVAL(result);
}

// Null with UninitializedException pending.
PoolCore* core_of(zval* self) {
  PoolCore* core = pool_of(Z_OBJ_P(self))->core;
  if (UNEXPECTED(core == nullptr)) {
    zend_throw_exception(uninitialized_exception, "the pool's constructor did not finish", 0);
  }
  return core;
}

void acquire(zval* self, zval* result, int64_t timeout_ns) {
  PoolCore* core = core_of(self);
  if (UNEXPECTED(core == nullptr)) return;
  if (Holding* holding = take(*core, timeout_ns)) make_handle(result, *holding);
}

// Calls the body with the raw resource; gives the resource back whether it returned or threw. When
// PHP jumps over this frame, the end of the request finds the resource.
void run_body(zval* self, zval* result, int64_t timeout_ns, zend_fcall_info* body,
              zend_fcall_info_cache* target) {
  PoolCore* core = core_of(self);
  if (UNEXPECTED(core == nullptr)) return;
  Holding* holding = take(*core, timeout_ns);
  if (holding == nullptr) return;
  zval resource;
  ZVAL_OBJ(&resource, holding->resource);
  body->retval = result;
  body->params = &resource;
  body->param_count = 1;
  holding->framed = true;
  zend_call_function(body, target);
  holding->framed = false;
  if (UNEXPECTED(Z_TYPE_P(result) == IS_REFERENCE)) zend_unwrap_reference(result);
  if (UNEXPECTED(holding->state == HoldingState::kAbandoned)) {
    remove_holding(*holding);
  } else {
    give_back(*holding);
  }
}

zend_function* method(const char* name) {
  return static_cast<zend_function*>(
      zend_hash_str_find_ptr(&pool_class->function_table, name, strlen(name)));
}

}  // namespace

zend_function* end_request_function() { return end_request; }
zend_function* close_resource_function() { return close_resource_frame; }

void set_up_pool_class(zend_class_entry* registered) {
  pool_class = registered;
  pool_class->create_object = create;
  handlers = *zend_get_std_object_handlers();
  handlers.offset = XtOffsetOf(PoolObject, std);
  handlers.dtor_obj = destruct;
  handlers.free_obj = free_storage;
  handlers.clone_obj = refuse_clone;
  handlers.get_gc = collect;
  handlers.get_properties_for = shown;
  handlers.compare = zend_objects_not_comparable;
  end_request = method("endrequest");
  close_resource_frame = method("closeresource");
}

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Pool, __construct) {
  NewPool asked;
  zend_string* name = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 5)
  Z_PARAM_FUNC(asked.factory, asked.factory_target)
  Z_PARAM_OPTIONAL
  Z_PARAM_FUNC_OR_NULL(asked.destroy, asked.destroy_target)
  Z_PARAM_LONG(asked.max_size)
  Z_PARAM_LONG(asked.idle_timeout_ms)
  Z_PARAM_STR_OR_NULL(name)
  ZEND_PARSE_PARAMETERS_END();
  asked.name = name;
  PoolObject* pool = pool_of(Z_OBJ_P(ZEND_THIS));
  if (pool->core != nullptr) {
    zend_throw_exception(shared_exception, "the pool's constructor was called a second time", 0);
    RETURN_THROWS();
  }
  pool->core = new_pool(asked);
}

ZEND_METHOD(OxPHP_Shared_Pool, acquire) {
  ZEND_PARSE_PARAMETERS_NONE();
  acquire(ZEND_THIS, return_value, oxpool::Acquire::kForever);
}

ZEND_METHOD(OxPHP_Shared_Pool, tryAcquire) {
  ZEND_PARSE_PARAMETERS_NONE();
  acquire(ZEND_THIS, return_value, 0);
}

ZEND_METHOD(OxPHP_Shared_Pool, acquireTimeout) {
  int64_t timeout_ns;
  if (!read_milliseconds(execute_data, 1, &timeout_ns)) RETURN_THROWS();
  zval* ms;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(ms)
  ZEND_PARSE_PARAMETERS_END();
  (void)ms;
  acquire(ZEND_THIS, return_value, timeout_ns);
}

ZEND_METHOD(OxPHP_Shared_Pool, with) {
  zend_fcall_info body;
  zend_fcall_info_cache target;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_FUNC(body, target)
  ZEND_PARSE_PARAMETERS_END();
  run_body(ZEND_THIS, return_value, oxpool::Acquire::kForever, &body, &target);
}

ZEND_METHOD(OxPHP_Shared_Pool, withTimeout) {
  int64_t timeout_ns;
  if (!read_milliseconds(execute_data, 2, &timeout_ns)) RETURN_THROWS();
  zend_fcall_info body;
  zend_fcall_info_cache target;
  zval* ms;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_FUNC(body, target)
  Z_PARAM_ZVAL(ms)
  ZEND_PARSE_PARAMETERS_END();
  (void)ms;
  run_body(ZEND_THIS, return_value, timeout_ns, &body, &target);
}

ZEND_METHOD(OxPHP_Shared_Pool, stats) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core)) RETURN_THROWS();
  make_stats(return_value, core->pool->budget->counts());
}

ZEND_METHOD(OxPHP_Shared_Pool, evict) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core)) RETURN_THROWS();
  RETURN_LONG(close_idle(*core->pool, oxpool::shm::CloseReason::kEvict));
}

ZEND_METHOD(OxPHP_Shared_Pool, id) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core)) RETURN_THROWS();
  RETURN_LONG(static_cast<zend_long>(core->pool->budget->id()));
}

ZEND_METHOD(OxPHP_Shared_Pool, name) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr) RETURN_THROWS();
  RETURN_STRINGL(core->pool->name.data(), core->pool->name.size());
}

ZEND_METHOD(OxPHP_Shared_Pool, __serialize) {
  ZEND_PARSE_PARAMETERS_NONE();
  throw_not_shareable_by(pool_class, "serialized");
}

ZEND_METHOD(OxPHP_Shared_Pool, __unserialize) {
  throw_not_shareable_by(pool_class, "unserialized");
}

ZEND_METHOD(OxPHP_Shared_Pool, endRequest) {
  ZEND_PARSE_PARAMETERS_NONE();
  run_shutdown_function();
}

ZEND_METHOD(OxPHP_Shared_Pool, closeResource) { ZEND_PARSE_PARAMETERS_NONE(); }
