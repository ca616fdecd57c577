// What a Pool object stands for. It lives apart from the object: when a request ends PHP frees
// objects without regard to who refers to whom, and a resource is closed by the callbacks it was
// made with.
#pragma once

#include <cstdint>

#include "identity.h"
#include "userland_call.h"

namespace oxpool::php {

struct WorkerPool;

// Counted: by its Pool object and by every Holding that it minted.
struct PoolCore {
  WorkerPool* pool = nullptr;
  Callback factory;
  Callback destroy;
  Callback validate;
  Callback reset;
  int64_t validate_after_idle_ns = 0;
  zend_object* object = nullptr;  // not counted; null once `dropped`
  uint32_t references = 1;
  bool dropped = false;  // the object is gone, or its destructor has run
  // Its factory has opened a persistent connection in this request (persistent_list.h).
  bool opens_persistently = false;
  AutomaticName automatic_name;
  PoolCore* older = nullptr;  // in WorkerPool::cores
};

// Into a pool's list, and out of it. A core is in one list at a time.
void add_core(WorkerPool& pool, PoolCore& core);
void remove_core(PoolCore& core);

// Gives one reference back. With the last one the callbacks go, and the WorkerPool when it was its
// last core.
void release(PoolCore* core);

// The object is going: its name is free again. True when it was the last live object of its pool,
// so that idle resources are to be closed. Idempotent (false then).
bool drop(PoolCore* core);

}  // namespace oxpool::php
