// A mutex as this worker has it: one per name, shared by all Mutex objects of that name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/mutex.h"
#include "engine.h"

namespace oxpool::php {

class Worker;

// Invariants:
//  1. `kept` is what version `kept_version` of the value decodes to, and nothing but this holds a
//     reference into it that could be written through. Without one kept_version is 0.
//  2. A frame that waits for the lock or has it counts in `frames`; `lock` is not destroyed under
//     it (WorkerMutexes::detach).
//
// Thread safety: one thread, the worker's.
struct WorkerMutex {
  WorkerMutex(Worker& of, std::string named) : worker(of), name(std::move(named)) {
    ZVAL_UNDEF(&kept);
  }

  Worker& worker;
  const std::string name;
  std::unique_ptr<Mutex> lock;  // null while not attached in this life of the worker
  uint64_t id = 0;              // of the entry that was attached first; 0 = none yet
  uint32_t objects = 0;
  uint32_t frames = 0;
  zval kept;
  uint64_t kept_version = 0;
  WorkerMutex* next = nullptr;  // in WorkerMutexes' list
  WorkerMutex* previous = nullptr;

  // Its name was removed and may be another mutex's.
  bool name_removed() const { return lock != nullptr && lock->removed(); }
  // Runs no PHP code: there is no object in it.
  void drop_kept() {
    kept_version = 0;
    zval_ptr_dtor(&kept);
    ZVAL_UNDEF(&kept);
  }
};

}  // namespace oxpool::php
