// A pool as this worker has it: one per name, shared by all Pool objects of that name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  // Whether any core has these: asked on the hot path, once for all.
  bool validates = false;
  bool resets = false;
  bool notes_places = false;   // of acquires, for leak reports
  bool persistent = false;     // as the newest object asks: persistent_slots.h
  bool parks = false;          // its idle resources outlive the request
  bool gates = false;          // the newest object asks for the accept gate
  bool used = false;           // in this request
  uint32_t requests_away = 0;  // so many have ended since it was used
  uint32_t parked = 0;         // so many of its holdings are kParked
  uint32_t closed_along = 0;   // parked ones, because they shared an entry with another
  // Entries that are lists of connections (mysqli, phpredis) and were made by its factories.
  std::vector<std::string> list_entries;
  int64_t still_used_window_ends_ns = 0;  // for closing.cc, which must not fill the log
  int still_used_said = 0;
  uint32_t pins = 0;            // loops that stand on it
  Holding* holdings = nullptr;  // newest first
  WorkerPool* next = nullptr;   // in Worker's list
  WorkerPool* previous = nullptr;

  // Its name was removed and may be another pool's.
  bool name_removed() const { return budget != nullptr && budget->name_removed(); }

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
