// One resource that this worker made, from before its factory runs until its unit is given back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/hang_up.h"
#include "client/pool.h"
#include "engine.h"

namespace oxpool::php {

struct HandleObject;
struct PoolCore;
struct WorkerPool;

enum class HoldingState : uint8_t {
  kMinting,    // the factory runs
  kInUse,      // a Handle or a body has it
  kIdle,       // in the pool's idle stack
  kClosing,    // destroy runs
  kLeaving,    // destroy has run, but code of the request that ends still has the resource
  kAbandoned,  // inherited by a forked child, which must not touch it
};

// Invariants:
//  1. It is in its WorkerPool's list from birth to death, so nothing is lost when PHP jumps over
//  the
//     frame that works on it.
//  2. `resource` is a counted reference unless the state is kMinting, kLeaving or kAbandoned.
//  3. `handle` points back at the Handle that points here, while there is one.
struct Holding {
  HoldingState state = HoldingState::kMinting;
  // A frame on the C stack works on it and frees it: whoever finds it abandoned meanwhile leaves
  // it.
  bool framed = false;
  LocalSlot* slot =
      nullptr;  // null once the attachment it belonged to is over: no budget to give back
  WorkerPool* pool = nullptr;
  PoolCore* minter = nullptr;  // counted; its destroy closes the resource. Null once it has run
  zend_object* resource = nullptr;
  HandleObject* handle = nullptr;
  Holding* newer = nullptr;
  Holding* older = nullptr;
  std::vector<int> descriptors_before;  // while the factory runs
  std::unique_ptr<HangUp> hang_up;      // while it is being closed
};

}  // namespace oxpool::php
