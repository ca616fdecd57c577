#include "mutex_class.h"

#include "exception_classes.h"
#include "worker.h"

namespace oxpool::php {

zend_class_entry* mutex_class;

namespace {

struct MutexObject {
  MutexCore* core;  // null until the constructor has finished
  zend_object std;
};

zend_object_handlers handlers;

MutexObject* mutex_of(zend_object* object) {
  return reinterpret_cast<MutexObject*>(reinterpret_cast<char*>(object) -
                                        XtOffsetOf(MutexObject, std));
}

zend_object* create(zend_class_entry* entry) {
  auto* mutex = static_cast<MutexObject*>(emalloc(sizeof(MutexObject)));
  mutex->core = nullptr;
  zend_object_std_init(&mutex->std, entry);
  mutex->std.handlers = &handlers;
  return &mutex->std;
}

// A call on it has a reference, so its lock is not held and not waited for.
void free_storage(zend_object* object) {
  if (MutexCore* core = mutex_of(object)->core) {
    mutex_of(object)->core = nullptr;
    drop_core(core);
  }
  zend_object_std_dtor(object);
}

zend_object* refuse_clone(zend_object* object) {
  throw_not_shareable_by(object->ce, "cloned");
  return create(object->ce);  // the engine wants one to throw away
}

// For var_dump(): never the value, which may be anybody's secret, and changes under the reader.
zend_array* shown(zend_object* object, zend_prop_purpose purpose) {
  if (purpose != ZEND_PROP_PURPOSE_DEBUG) return zend_std_get_properties_for(object, purpose);
  zval result;
  array_init(&result);
  const MutexCore* core = mutex_of(object)->core;
  if (core == nullptr) return Z_ARRVAL(result);
  const WorkerMutex& mutex = *core->mutex;
  add_assoc_stringl(&result, "name", mutex.name.data(), mutex.name.size());
  if (mutex.lock == nullptr || !mutex.worker.usable()) return Z_ARRVAL(result);
  add_assoc_long(&result, "id", static_cast<zend_long>(mutex.lock->id()));
  add_assoc_bool(&result, "held", mutex.lock->held());
  add_assoc_bool(&result, "corrupted", mutex.lock->corrupted());
  return Z_ARRVAL(result);
}

}  // namespace

MutexCore* core_of_mutex(zend_object* object) { return mutex_of(object)->core; }

void give_core(zend_object* object, MutexCore* core) {
  if (core != nullptr) ++core->mutex->objects;
  mutex_of(object)->core = core;
}

void drop_core(MutexCore* core) {
  WorkerMutex& mutex = *core->mutex;
  core->automatic_name.give_back(mutex.worker.names);
  delete core;
  --mutex.objects;
  mutex.worker.mutexes.remove_if_unused(mutex);
}

void set_up_mutex_class(zend_class_entry* registered) {
  mutex_class = registered;
  mutex_class->create_object = create;
  handlers = *zend_get_std_object_handlers();
  handlers.offset = XtOffsetOf(MutexObject, std);
  handlers.free_obj = free_storage;
  handlers.clone_obj = refuse_clone;
  handlers.get_properties_for = shown;
  handlers.compare = zend_objects_not_comparable;
}

}  // namespace oxpool::php
