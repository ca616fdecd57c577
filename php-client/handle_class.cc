#include "handle_class.h"

#include "closing.h"
#include "exception_classes.h"
#include "life.h"

namespace oxpool::php {

zend_class_entry* handle_class;

namespace {

zend_object_handlers handlers;

HandleObject* handle_of(zend_object* object) {
  return reinterpret_cast<HandleObject*>(reinterpret_cast<char*>(object) -
                                         XtOffsetOf(HandleObject, std));
}

// No declared properties, so nothing follows the object.
zend_object* create(zend_class_entry* entry) {
  auto* handle = static_cast<HandleObject*>(emalloc(sizeof(HandleObject)));
  handle->holding = nullptr;
  zend_object_std_init(&handle->std, entry);
  handle->std.handlers = &handlers;
  return &handle->std;
}

// The holding, or null when there is none (any more). What was inherited by a fork is none.
Holding* current(zend_object* object) {
  HandleObject* handle = handle_of(object);
  if (handle->holding == nullptr) return nullptr;
  Worker& worker = handle->holding->pool->worker;
  if (UNEXPECTED(worker.forked())) forget_parents_life(worker);
  return handle->holding;
}

void release_object(zend_object* object) {
  if (handle_of(object)->holding == nullptr) return;
  if (Holding* holding = current(object)) give_back(*holding);
}

// Runs where PHP code may: the resource goes back, or is closed.
void destruct(zend_object* object) { release_object(object); }

// Runs where PHP code may not. A resource that is still here (a fatal error skips destructors)
// stays in its pool's books until the request ends.
void free_storage(zend_object* object) {
  HandleObject* handle = handle_of(object);
  if (handle->holding != nullptr) detach_handle(*handle->holding);
  zend_object_std_dtor(object);
}

zend_object* refuse_clone(zend_object* object) {
  throw_not_shareable_by(object->ce, "cloned");
  zend_object* empty = create(object->ce);  // the engine wants one to throw away
  GC_ADD_FLAGS(empty, IS_OBJ_DESTRUCTOR_CALLED);
  return empty;
}

// Once the destructor has run, the resource is none of this object's: telling of it would let the
// cycle collector free it.
HashTable* collect(zend_object* object, zval** table, int* count) {
  zend_get_gc_buffer* buffer = zend_get_gc_buffer_create();
  const Holding* holding = handle_of(object)->holding;
  if (holding != nullptr && holding->resource != nullptr &&
      !(OBJ_FLAGS(object) & IS_OBJ_DESTRUCTOR_CALLED)) {
    zend_get_gc_buffer_add_obj(buffer, holding->resource);
  }
  zend_get_gc_buffer_use(buffer, table, count);
  return nullptr;
}

// For var_dump(): which pool, and whether it is still in use; never the resource.
zend_array* shown(zend_object* object, zend_prop_purpose purpose) {
  if (purpose != ZEND_PROP_PURPOSE_DEBUG) return zend_std_get_properties_for(object, purpose);
  zval result;
  array_init(&result);
  const Holding* holding = handle_of(object)->holding;
  add_assoc_bool(&result, "inUse", holding != nullptr);
  if (holding != nullptr) {
    const std::string& name = holding->pool->name;
    add_assoc_stringl(&result, "pool", name.data(), name.size());
  }
  return Z_ARRVAL(result);
}

}  // namespace

void set_up_handle_class(zend_class_entry* registered) {
  handle_class = registered;
  handle_class->create_object = create;
  handlers = *zend_get_std_object_handlers();
  handlers.offset = XtOffsetOf(HandleObject, std);
  handlers.dtor_obj = destruct;
  handlers.free_obj = free_storage;
  handlers.clone_obj = refuse_clone;
  handlers.get_gc = collect;
  handlers.get_properties_for = shown;
  handlers.compare = zend_objects_not_comparable;
}

void make_handle(zval* result, Holding& holding) {
  zend_object* object = create(handle_class);
  handle_of(object)->holding = &holding;
  holding.handle = handle_of(object);
  ZVAL_OBJ(result, object);
}

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Pool_Handle, __construct) {
  ZEND_PARSE_PARAMETERS_NONE();
  zend_throw_error(nullptr, "%s is made by a pool", ZSTR_VAL(handle_class->name));
}

ZEND_METHOD(OxPHP_Shared_Pool_Handle, get) {
  ZEND_PARSE_PARAMETERS_NONE();
  const Holding* holding = current(Z_OBJ_P(ZEND_THIS));
  if (UNEXPECTED(holding == nullptr)) {
    zend_throw_exception(stale_handle_exception,
                         "the handle's resource was given back, or belongs to the parent process",
                         0);
    RETURN_THROWS();
  }
  RETURN_OBJ_COPY(holding->resource);
}

ZEND_METHOD(OxPHP_Shared_Pool_Handle, release) {
  ZEND_PARSE_PARAMETERS_NONE();
  release_object(Z_OBJ_P(ZEND_THIS));
}

ZEND_METHOD(OxPHP_Shared_Pool_Handle, discard) {
  ZEND_PARSE_PARAMETERS_NONE();
  if (Holding* holding = current(Z_OBJ_P(ZEND_THIS))) {
    close_in_use(*holding, oxpool::shm::CloseReason::kDiscard);
  }
}

ZEND_METHOD(OxPHP_Shared_Pool_Handle, __serialize) {
  ZEND_PARSE_PARAMETERS_NONE();
  throw_not_shareable_by(handle_class, "serialized");
}

ZEND_METHOD(OxPHP_Shared_Pool_Handle, __unserialize) {
  throw_not_shareable_by(handle_class, "unserialized");
}
