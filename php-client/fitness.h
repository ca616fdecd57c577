// Whether a resource is fit for its next use: validate, reset, and sweep's check.
#pragma once

#include <cstdint>

#include "worker.h"

namespace oxpool::php {

enum class Fitness {
  kFit,
  kUnfit,  // closed; the caller looks for another one
  kGone,   // the attachment ended, or an exception is pending
};

// Asks the pool's validate about a resource that is about to be handed out, if it has been idle for
// long enough. It is in use then, and not counted as handed out yet. May run PHP code and jump.
Fitness validate(Holding& holding);

// Runs the pool's reset on a resource that comes back. False: it is closed or gone.
bool reset(Holding& holding);

// Asks `check` about idle resources of the pool, at most `limit`, and closes those that it does not
// approve. Returns how many; an exit() may be pending.
uint32_t sweep(PoolCore& core, const Callback& check, uint32_t limit);

}  // namespace oxpool::php
