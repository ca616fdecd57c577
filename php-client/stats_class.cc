#include "stats_class.h"

#include <new>

namespace oxpool::php {

zend_class_entry* stats_class;

namespace {

struct StatsObject {
  shm::PoolCounts counts;
  zend_object std;
};

zend_object_handlers handlers;

StatsObject* stats_of(zend_object* object) {
  return reinterpret_cast<StatsObject*>(reinterpret_cast<char*>(object) -
                                        XtOffsetOf(StatsObject, std));
}

zend_object* create(zend_class_entry* entry) {
  auto* stats = static_cast<StatsObject*>(emalloc(sizeof(StatsObject)));
  new (&stats->counts) shm::PoolCounts();
  zend_object_std_init(&stats->std, entry);
  stats->std.handlers = &handlers;
  return &stats->std;
}

double utilization(const shm::PoolCounts& counts) {
  return counts.max_size > 0 ? static_cast<double>(counts.in_use) / counts.max_size : 0.0;
}

zend_object* clone(zend_object* object) {
  zend_object* copy = create(object->ce);
  stats_of(copy)->counts = stats_of(object)->counts;
  return copy;
}

zend_array* shown(zend_object* object, zend_prop_purpose purpose) {
  if (purpose != ZEND_PROP_PURPOSE_DEBUG) return zend_std_get_properties_for(object, purpose);
  const shm::PoolCounts& counts = stats_of(object)->counts;
  zval result;
  array_init(&result);
  add_assoc_long(&result, "inUse", counts.in_use);
  add_assoc_long(&result, "idle", counts.idle);
  add_assoc_long(&result, "waiting", counts.waiting);
  add_assoc_long(&result, "size", counts.size());
  add_assoc_long(&result, "maxSize", counts.max_size);
  add_assoc_double(&result, "utilization", utilization(counts));
  return Z_ARRVAL(result);
}

const shm::PoolCounts& counts_of(zval* self) { return stats_of(Z_OBJ_P(self))->counts; }

}  // namespace

void set_up_stats_class(zend_class_entry* registered) {
  stats_class = registered;
  stats_class->create_object = create;
  handlers = *zend_get_std_object_handlers();
  handlers.offset = XtOffsetOf(StatsObject, std);
  handlers.clone_obj = clone;
  handlers.get_properties_for = shown;
  handlers.compare = zend_objects_not_comparable;
}

void make_stats(zval* result, const shm::PoolCounts& counts) {
  zend_object* object = create(stats_class);
  stats_of(object)->counts = counts;
  ZVAL_OBJ(result, object);
}

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Pool_Stats, __construct) {
  ZEND_PARSE_PARAMETERS_NONE();
  zend_throw_error(nullptr, "%s is made by Pool::stats()", ZSTR_VAL(stats_class->name));
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, inUse) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(counts_of(ZEND_THIS).in_use);
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, idle) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(counts_of(ZEND_THIS).idle);
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, waiting) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(counts_of(ZEND_THIS).waiting);
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, size) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(counts_of(ZEND_THIS).size());
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, maxSize) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(counts_of(ZEND_THIS).max_size);
}

ZEND_METHOD(OxPHP_Shared_Pool_Stats, utilization) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_DOUBLE(utilization(counts_of(ZEND_THIS)));
}
