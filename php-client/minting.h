// Making a resource: the factory's call and what can come of it.
#pragma once

#include <cstdint>

#include "worker.h"

namespace oxpool::php {

enum class Mint {
  kMade,     // the holding is in use by the caller, or idle when it was made ahead of need
  kFailed,   // an exception is pending; the unit is back
  kNewLife,  // the attachment ended meanwhile, and the resource is gone again
};

// Makes one on a reserved slot, for `core` or a newer object of its pool. May run PHP code and
// jump.
Mint mint(PoolCore& core, LocalSlot& slot, Holding** taken);

// Runs the factory of the holding's minter; a persistent pool's gets the slot's key if it wants it.
CallEnd call_factory(Holding& holding, zval* result, int64_t* factory_ns);
// The object that the factory returned, with a reference of its own; null when it returned none.
zend_object* object_of(zval* result);
void throw_not_an_object(const WorkerPool& pool, const zval* result);
void throw_refused();

// Makes idle ones until the host has `wanted` resources, or the pool is full, or somebody waits.
// Returns how many; an exception may be pending.
uint32_t warm(PoolCore& core, uint32_t wanted);

}  // namespace oxpool::php
