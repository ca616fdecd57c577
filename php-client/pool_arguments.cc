#include "pool_arguments.h"

#include <algorithm>
#include <limits>

#include "exception_classes.h"
#include "sentence.h"

namespace oxpool::php {

namespace {

void throw_type(const char* argument, const char* must, const char* given) {
  zend_throw_exception_ex(type_exception, 0,
                          "OxPHP\\Shared\\Pool::__construct(): %s must be %s, %s given", argument,
                          must, given);
}

bool at_least(zend_long least, zend_long value, const char* argument, const char* must) {
  if (value >= least) return true;
  char given[32];
  snprintf(given, sizeof given, ZEND_LONG_FMT, value);
  throw_type(argument, must, given);
  return false;
}

bool check_name(const zend_string* name) {
  if (name == nullptr || (ZSTR_LEN(name) > 0 && ZSTR_LEN(name) <= shm::kNameBytes)) return true;
  char given[48];
  snprintf(given, sizeof given, "%zu bytes", ZSTR_LEN(name));
  throw_type("Option $name", "1 to 255 bytes", given);
  return false;
}

bool check_rebalance(const zend_string* rebalance) {
  if (rebalance == nullptr || zend_string_equals_literal(rebalance, "handover") ||
      zend_string_equals_literal(rebalance, "strict")) {
    return true;
  }
  Sentence given;
  given.set(quoted({ZSTR_VAL(rebalance), ZSTR_LEN(rebalance)}));
  throw_type("Option $rebalance", "null (as the daemon is configured), 'handover' or 'strict'",
             given.text);
  return false;
}

bool check_min_idle(const PoolArguments& arguments) {
  if (arguments.min_idle >= 0 && arguments.min_idle <= arguments.max_size) return true;
  char given[80];
  snprintf(given, sizeof given, ZEND_LONG_FMT " with $maxSize " ZEND_LONG_FMT, arguments.min_idle,
           arguments.max_size);
  throw_type("Option $minIdle", "0 to $maxSize", given);
  return false;
}

// Another deploy, or another line, must not be another pool while connections of this one live on.
bool check_persistent(const PoolArguments& arguments) {
  if (!arguments.persistent || arguments.name != nullptr) return true;
  throw_type("Option $name", "given together with $persistent", "null");
  return false;
}

// Who keeps nothing between two requests has nothing to wait with.
bool check_accept_gate(const PoolArguments& arguments) {
  if (!arguments.accept_gate || arguments.persistent) return true;
  throw_type("Option $acceptGate", "false without $persistent", "true");
  return false;
}

// What the segment keeps in 32 bits; its largest value means "no limit" there.
uint32_t narrow(zend_long value) {
  return static_cast<uint32_t>(
      std::min<zend_long>(value, std::numeric_limits<uint32_t>::max() - 1));
}

}  // namespace

bool check(const PoolArguments& arguments) {
  return at_least(1, arguments.max_size, "Argument #3 ($maxSize)", "at least 1") &&
         at_least(0, arguments.idle_timeout, "Argument #4 ($idleTimeoutMs)",
                  "0 (never) or more milliseconds") &&
         check_name(arguments.name) &&
         at_least(0, arguments.validate_after_idle, "Option $validateAfterIdleMs",
                  "0 (always) or more milliseconds") &&
         check_min_idle(arguments) &&
         at_least(0, arguments.max_lifetime, "Option $maxLifetimeMs",
                  "0 (for ever) or more milliseconds") &&
         (arguments.any_waiting || at_least(0, arguments.max_waiting, "Option $maxWaiting",
                                            "null (any number) or 0 or more")) &&
         at_least(0, arguments.leak_after, "Option $leakAfterMs",
                  "0 (never) or more milliseconds") &&
         check_rebalance(arguments.rebalance) &&
         (arguments.patience_follows_factory ||
          at_least(0, arguments.patience, "Option $patienceMs",
                   "null (derived) or 0 or more milliseconds")) &&
         at_least(0, arguments.close_wait, "Option $closeWaitMs",
                  "0 (not at all) or more milliseconds") &&
         check_persistent(arguments) && check_accept_gate(arguments);
}

shm::PoolRequest request_of(const PoolArguments& arguments) {
  shm::PoolRequest request;
  request.max_size = narrow(arguments.max_size);
  request.idle_timeout_ms = arguments.idle_timeout;
  request.given_name = arguments.name != nullptr;
  request.min_idle = narrow(arguments.min_idle);
  request.max_lifetime_ms = arguments.max_lifetime;
  request.max_waiting = arguments.any_waiting ? shm::kNoLimit : narrow(arguments.max_waiting);
  request.leak_after_ms = arguments.leak_after;
  request.rebalance = shm::Rebalance::kAsConfigured;
  request.persistent = arguments.persistent;
  request.accept_gate = arguments.accept_gate;
  if (arguments.rebalance != nullptr) {
    const bool strict = zend_string_equals_literal(arguments.rebalance, "strict");
    request.rebalance = strict ? shm::Rebalance::kStrict : shm::Rebalance::kHandOver;
  }
  request.patience_ms =
      arguments.patience_follows_factory ? shm::kPatienceAuto : narrow(arguments.patience);
  request.close_wait_ms = narrow(arguments.close_wait);
  return request;
}

}  // namespace oxpool::php
