// The arguments of `new Pool`: what was given, and whether it is in range.
#pragma once

#include "engine.h"
#include "shm/pool_table.h"

namespace oxpool::php {

struct CallableArgument {
  zend_fcall_info call{};  // size 0 = none was given
  zend_fcall_info_cache target{};

  bool given() const { return call.size != 0; }
};

// Parsed and not yet checked. Milliseconds unless the name says otherwise.
struct PoolArguments {
  CallableArgument factory;
  CallableArgument destroy;
  CallableArgument validate;
  CallableArgument reset;
  zend_long max_size = 32;
  zend_long idle_timeout = 300'000;
  zend_string* name = nullptr;  // null = an automatic one
  zend_long validate_after_idle = 500;
  zend_long min_idle = 0;
  zend_long max_lifetime = 0;
  zend_long max_waiting = 0;
  bool any_waiting = true;
  zend_long leak_after = 0;
  zend_string* rebalance = nullptr;  // null = as the daemon is configured
  zend_long patience = 0;
  bool patience_follows_factory = true;
  zend_long close_wait = 100;
  bool persistent = false;
  bool accept_gate = false;
};

// False with TypeException pending: an argument is out of range.
bool check(const PoolArguments& arguments);

// What the pool is asked for. The arguments are in range.
shm::PoolRequest request_of(const PoolArguments& arguments);

}  // namespace oxpool::php
