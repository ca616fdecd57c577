#include "pool_class.h"

#include "closing.h"
#include "exception_classes.h"
#include "worker.h"

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
  if (core != nullptr && drop(core) && !core->pool->parks)
    close_idle(*core->pool, shm::CloseReason::kPoolDropped);
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
    zend_get_gc_buffer_add_zval(buffer, &core->validate.callable);
    zend_get_gc_buffer_add_zval(buffer, &core->reset.callable);
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

zend_function* method(const char* name) {
  return static_cast<zend_function*>(
      zend_hash_str_find_ptr(&pool_class->function_table, name, strlen(name)));
}

}  // namespace

PoolCore* core_of_pool(zend_object* object) { return pool_of(object)->core; }
void give_core(zend_object* object, PoolCore* core) { pool_of(object)->core = core; }

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
