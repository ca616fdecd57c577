// The methods of OxPHP\Shared\Pool: each parses, checks, and calls one function.
#include <algorithm>

#include "closing.h"
#include "event_loop.h"
#include "exception_classes.h"
#include "fitness.h"
#include "handle_class.h"
#include "milliseconds_argument.h"
#include "minting.h"
#include "new_pool.h"
#include "pool_class.h"
#include "request_end.h"
#include "stats_class.h"
#include "taking.h"

namespace oxpool::php {

namespace {

// Null with UninitializedException pending.
PoolCore* core_of(zval* self) {
  PoolCore* core = core_of_pool(Z_OBJ_P(self));
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

void throw_not_a_count(const char* method, int number, const char* argument, zend_long given) {
  zend_throw_exception_ex(
      type_exception, 0,
      "OxPHP\\Shared\\Pool::%s(): Argument #%d ($%s) must be %s, " ZEND_LONG_FMT " given", method,
      number, argument, number == 1 ? "0 or more" : "at least 1", given);
}

uint32_t as_count(zend_long value) {
  return static_cast<uint32_t>(std::min<zend_long>(value, UINT32_MAX));
}

}  // namespace

}  // namespace oxpool::php

using namespace oxpool::php;

ZEND_METHOD(OxPHP_Shared_Pool, __construct) {
  PoolArguments asked;
  ZEND_PARSE_PARAMETERS_START(1, 17)
  Z_PARAM_FUNC(asked.factory.call, asked.factory.target)
  Z_PARAM_OPTIONAL
  Z_PARAM_FUNC_OR_NULL(asked.destroy.call, asked.destroy.target)
  Z_PARAM_LONG(asked.max_size)
  Z_PARAM_LONG(asked.idle_timeout)
  Z_PARAM_STR_OR_NULL(asked.name)
  Z_PARAM_FUNC_OR_NULL(asked.validate.call, asked.validate.target)
  Z_PARAM_LONG(asked.validate_after_idle)
  Z_PARAM_FUNC_OR_NULL(asked.reset.call, asked.reset.target)
  Z_PARAM_LONG(asked.min_idle)
  Z_PARAM_LONG(asked.max_lifetime)
  Z_PARAM_LONG_OR_NULL(asked.max_waiting, asked.any_waiting)
  Z_PARAM_LONG(asked.leak_after)
  Z_PARAM_STR_OR_NULL(asked.rebalance)
  Z_PARAM_LONG_OR_NULL(asked.patience, asked.patience_follows_factory)
  Z_PARAM_LONG(asked.close_wait)
  Z_PARAM_BOOL(asked.persistent)
  Z_PARAM_BOOL(asked.accept_gate)
  ZEND_PARSE_PARAMETERS_END();
  zend_object* object = Z_OBJ_P(ZEND_THIS);
  if (core_of_pool(object) != nullptr) {
    zend_throw_exception(shared_exception, "the pool's constructor was called a second time", 0);
    RETURN_THROWS();
  }
  give_core(object, new_pool(asked, object));
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

ZEND_METHOD(OxPHP_Shared_Pool, warm) {
  zend_long wanted = 0;
  bool follows_min_idle = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG_OR_NULL(wanted, follows_min_idle)
  ZEND_PARSE_PARAMETERS_END();
  if (!follows_min_idle && wanted < 0) {
    throw_not_a_count("warm", 1, "n", wanted);
    RETURN_THROWS();
  }
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr) RETURN_THROWS();
  const zend_long target = follows_min_idle ? core->pool->request.min_idle : wanted;
  RETURN_LONG(warm(*core, as_count(target)));
}

ZEND_METHOD(OxPHP_Shared_Pool, sweep) {
  CallableArgument check;
  zend_long limit;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_FUNC(check.call, check.target)
  Z_PARAM_LONG(limit)
  ZEND_PARSE_PARAMETERS_END();
  if (limit < 1) {
    throw_not_a_count("sweep", 2, "limit", limit);
    RETURN_THROWS();
  }
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core)) RETURN_THROWS();
  Callback callback;
  callback.set(check.call, check.target);
  RETVAL_LONG(sweep(*core, callback, as_count(limit)));
  callback.drop();
}

ZEND_METHOD(OxPHP_Shared_Pool, tick) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (UNEXPECTED(core == nullptr)) RETURN_THROWS();
  const WorkerPool& pool = *core->pool;
  Worker& worker = pool.worker;
  if (EXPECTED(pool.budget != nullptr && worker.usable())) {
    // Its bytes first: a flag that comes after them comes with a new one.
    if (worker.wake_stream != nullptr) worker.wake_stream->look();
    if (EXPECTED(!worker.has_attention())) RETURN_LONG(0);
  }
  uint32_t closed = 0;
  begin_call(*core, &closed);
  RETURN_LONG(closed);
}

ZEND_METHOD(OxPHP_Shared_Pool, wakeStream) {
  ZEND_PARSE_PARAMETERS_NONE();
  PoolCore* core = core_of(ZEND_THIS);
  if (core == nullptr || !begin_call(*core)) RETURN_THROWS();
  if (!wake_stream(core->pool->worker, return_value)) {
    zend_throw_exception(shared_exception,
                         "no descriptor is left for the stream; raise the limit "
                         "of open files of this process",
                         0);
    RETURN_THROWS();
  }
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
