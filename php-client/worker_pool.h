// A pool as this worker has it: one per name, shared by all Pool objects of that name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/pool.h"
#include "holding.h"
#include "pool_core.h"
#include "shm/pool_table.h"

namespace oxpool::php {

class Worker;

// Thread safety: one thread, the worker's.
struct WorkerPool {
  WorkerPool(Worker& of, std::string named) : worker(of), name(std::move(named)) {}

  Worker& worker;
  const std::string name;
  shm::PoolRequest request;      // as the newest object asks
  std::unique_ptr<Pool> budget;  // null while not attached in this life of the worker
  PoolCore* cores = nullptr;     // newest first
  uint32_t live_objects = 0;     // cores that are not dropped
  uint32_t pins = 0;             // loops that stand on it
  Holding* holdings = nullptr;   // newest first
  WorkerPool* next = nullptr;    // in Worker's list
  WorkerPool* previous = nullptr;

  // Whose factory makes the next resource: the newest live object's, or `fallback` when none lives.
  PoolCore& minter(PoolCore& fallback) const;
};

// A new holding of a reserved slot, about to be minted by `minter`.
Holding& add_holding(WorkerPool& pool, PoolCore& minter, LocalSlot& slot);
// Takes it out of its pool and frees it; its resource has been dropped. The pool may go with it.
void remove_holding(Holding& holding);
// Destroy has run: the callbacks are not needed any more.
void forget_minter(Holding& holding);

// Frees the pool, with its seat, when no object and no resource is left and no loop stands on it.
void remove_if_unused(WorkerPool& pool);

inline Holding& holding_of(const LocalSlot& slot) { return *static_cast<Holding*>(slot.resource); }

}  // namespace oxpool::php
