// What `new Pool` does.
#pragma once

#include "engine.h"
#include "pool_core.h"

namespace oxpool::php {

// The constructor's arguments, parsed and not yet checked.
struct NewPool {
  zend_fcall_info factory{};
  zend_fcall_info_cache factory_target{};
  zend_fcall_info destroy{};  // size 0 = none was given
  zend_fcall_info_cache destroy_target{};
  zend_long max_size = 32;
  zend_long idle_timeout_ms = 300'000;
  zend_string* name = nullptr;  // null = an automatic one
};

// Checks, attaches, and makes the object's core. Null with an exception pending.
PoolCore* new_pool(const NewPool& asked);

}  // namespace oxpool::php
