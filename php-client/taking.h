// Getting a resource: an idle one, a new one, or a turn in the queue.
#pragma once

#include <cstdint>

#include "sentence.h"
#include "worker.h"

namespace oxpool::php {

// Waits at most `timeout_ns` (0 = not at all, Acquire::kForever = without limit) and makes a
// resource when there is none idle. Null with an exception pending, or, when it does not wait,
// without one: every unit is taken. The holding is in use by the caller then. May run PHP code and
// jump.
Holding* take_slowly(PoolCore& core, int64_t timeout_ns);

// The same in a usable worker, for a pool with validate, leakAfterMs or parked slots.
Holding* take_with_a_look(PoolCore& core, int64_t timeout_ns);

// The same; the case of a warm idle resource costs no call.
inline Holding* take(PoolCore& core, int64_t timeout_ns) {
  WorkerPool& pool = *core.pool;
  pool.used = true;
  if (EXPECTED(pool.budget != nullptr && pool.worker.usable() && !pool.worker.has_attention())) {
    if (UNEXPECTED(pool.validates || pool.notes_places || pool.parked > 0)) {
      return take_with_a_look(core, timeout_ns);
    }
    if (LocalSlot* slot = pool.budget->reuse_idle(); EXPECTED(slot != nullptr)) {
      Holding& holding = holding_of(*slot);
      holding.state = HoldingState::kInUse;
      return &holding;
    }
  }
  return take_slowly(core, timeout_ns);
}

// Null when it went well, else the class of the exception to throw with *message. Run no PHP code.
zend_class_entry* attempt(const Error& error, Sentence* message);
zend_class_entry* attach(Worker& worker, Sentence* message);

// Attaches worker and pool where that has not happened in this life, and closes what was flagged:
// what every call on a pool begins with; *closed says how many. False with an exception pending.
bool begin_call(PoolCore& core, uint32_t* closed = nullptr);

}  // namespace oxpool::php
