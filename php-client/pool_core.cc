#include "pool_core.h"

#include "worker.h"
#include "worker_pool.h"

namespace oxpool::php {

void release(PoolCore* core) {
  if (--core->references > 0) return;
  WorkerPool* pool = core->pool;
  for (PoolCore** link = &pool->cores; *link != nullptr; link = &(*link)->older) {
    if (*link != core) continue;
    *link = core->older;
    break;
  }
  // The callbacks' own destructors may run now: nothing here is reached any more.
  Callback factory = core->factory;
  Callback destroy = core->destroy;
  delete core;
  remove_if_unused(*pool);
  factory.drop();
  destroy.drop();
}

bool drop(PoolCore* core) {
  if (core->dropped) return false;
  core->dropped = true;
  if (core->automatic_number != 0) {
    core->pool->worker.names.give_back(core->automatic_base, core->automatic_number);
  }
  return --core->pool->live_objects == 0;
}

}  // namespace oxpool::php
