#include "pool_core.h"

#include "persistent_mint.h"
#include "worker.h"
#include "worker_pool.h"

namespace oxpool::php {

void add_core(WorkerPool& pool, PoolCore& core) {
  core.pool = &pool;
  core.older = pool.cores;
  pool.cores = &core;
  if (!core.dropped) ++pool.live_objects;
  pool.validates = pool.validates || core.validate.given();
  pool.resets = pool.resets || core.reset.given();
  pool.persistent = pool.request.persistent;
  pool.gates = pool.request.accept_gate;
  pool.parks = pool.persistent && requests_end_here();
  pool.notes_places = pool.notes_places || pool.request.leak_after_ms > 0;
}

void remove_core(PoolCore& core) {
  for (PoolCore** link = &core.pool->cores; *link != nullptr; link = &(*link)->older) {
    if (*link != &core) continue;
    *link = core.older;
    break;
  }
  if (!core.dropped) --core.pool->live_objects;
}

void release(PoolCore* core) {
  if (--core->references > 0) return;
  WorkerPool* pool = core->pool;
  remove_core(*core);
  // The callbacks' own destructors may run now: nothing here is reached any more.
  Callback callbacks[] = {core->factory, core->destroy, core->validate, core->reset};
  delete core;
  remove_if_unused(*pool);
  for (Callback& callback : callbacks) callback.drop();
}

bool drop(PoolCore* core) {
  if (core->dropped) return false;
  core->dropped = true;
  core->object = nullptr;
  core->automatic_name.give_back(core->pool->worker.names);
  return --core->pool->live_objects == 0;
}

}  // namespace oxpool::php
