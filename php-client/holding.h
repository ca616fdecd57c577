// One resource that this worker made, from before its factory runs until its unit is given back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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
  kParked,     // likewise, from an earlier request: a connection without a PHP object
  kClosing,    // destroy runs
  kPutOff,     // to be closed, but PHP ran no code: once more when the request ends
  kLeaving,    // destroy has run, but code of the request that ends still has the resource
  kAbandoned,  // inherited by a forked child, which must not touch it
};

// Invariants:
//  1. It is in its WorkerPool's list from birth to death, so nothing is lost when PHP jumps over
//  the
//     frame that works on it.
//  2. `resource` is a counted reference unless the state is kMinting, kParked, kLeaving or
//  kAbandoned, or a factory runs for one that was parked. Nor has a parked one a minter.
//  3. `handle` points back at the Handle that points here, while there is one.
struct Holding {
  HoldingState state = HoldingState::kMinting;
  // A frame on the C stack works on it and frees it: whoever finds it abandoned meanwhile leaves
  // it.
  bool framed = false;
  bool was_put_off = false;
  LocalSlot* slot =
      nullptr;  // null once the attachment it belonged to is over: no budget to give back
  WorkerPool* pool = nullptr;
  PoolCore* minter = nullptr;  // counted; its destroy closes the resource. Null once it has run
  zend_object* resource = nullptr;
  HandleObject* handle = nullptr;
  Holding* newer = nullptr;
  Holding* older = nullptr;
  std::vector<int> descriptors_before;  // while the factory runs
  // Of a persistent pool (persistent_slots.h).
  bool outlives_request = false;            // its connection does, and it may be parked
  bool had_sockets = false;                 // the one that was closed for another one had
  bool held_at_end = false;                 // when the request's shutdown functions had run
  uint32_t number = 0;                      // of its slot key; 0 = none yet
  std::vector<std::string> entries;         // keys of PHP's persistent list that its factory made
  std::vector<NotedSocket> sockets_before;  // while the factory runs
  std::vector<std::string> former_entries;  // of the one that was closed for another one
  std::vector<std::string> entries_before;  // while the factory runs
  std::unique_ptr<HangUp> hang_up;          // while it is being closed
};

}  // namespace oxpool::php
