// Giving resources back and closing them.
//
// Every function here may run PHP code (destroy callbacks, destructors). What such code throws is
// written to PHP's error log; only an exit() inside it is left pending in EG(exception), and a
// fatal error goes on as the jump that it is. In both cases the unit is back before.
#pragma once

#include <cstdint>

#include "shm/slot_word.h"
#include "worker.h"

namespace oxpool::php {

// A resource in use comes back: it is kept, or closed when the pool, the request or somebody who
// waits wants it so. Like every call on a pool it closes what was flagged meanwhile.
void give_back(Holding& holding);
// One that was only looked at goes back to its place among the idle ones.
void put_back(Holding& holding);
// A resource in use is closed.
void close_in_use(Holding& holding, shm::CloseReason reason);
// An idle slot that was taken for closing.
void close_taken(LocalSlot& slot);

// Closes the idle resources that the pool has here at this moment. Returns how many.
uint32_t close_idle(WorkerPool& pool, shm::CloseReason reason);
// Closes what was flagged in any pool of this worker. Returns how many. Cheap when nothing was.
uint32_t close_flagged_ones(Worker& worker);
inline uint32_t close_flagged(Worker& worker) {
  if (EXPECTED(!worker.usable() || !worker.has_attention())) return 0;
  return close_flagged_ones(worker);
}

// Destroys the resource and gives the unit back; or puts both off to the end of the request, when
// PHP refuses to run code. The state is kClosing and the slot is closing too, or gone.
void close_resource(Holding& holding);

// A slot in use whose resource is no good, or has none: closed with its unit.
void close_again(Holding& holding, shm::CloseReason reason);
// Closes the resource of a slot in use, but keeps the unit for another one. False: the unit is not
// ours any more, or the connection can not be closed yet; then it is closed as by close_again().
bool close_but_keep_unit(Holding& holding, shm::CloseReason reason);

// The resource is gone: its unit goes back and the holding with it.
void finish(Holding& holding);

// Frees the unit, whatever state it is in, and leaves the holding without one. Neither touches the
// resource nor runs PHP code.
void free_unit(Holding& holding);

// The factory failed: the unit is back, the holding is gone.
void give_up_mint(Holding& holding);

}  // namespace oxpool::php
