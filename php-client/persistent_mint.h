// What the factory of a pool with `persistent` opens: at a mint, and when a parked slot is taken.
#pragma once

#include <string>

#include "worker.h"

namespace oxpool::php {

// Whether objects die with a request while the process lives on: not in scripts.
bool requests_end_here();

// The key that the factory of this slot is given: short, no number, the same for the slot's life,
// and no other slot's of this process in the same request.
void give_slot_key(const Holding& holding, zval* key);
// Whether the factory wants it: its first parameter is required.
bool wants_slot_key(const Callback& factory);

// Before a factory runs: notes what is in PHP's persistent list.
void note_entries_before(Holding& holding);

enum class Opened {
  kOwn,      // a connection of its own, which may be parked
  kShared,   // one that was open before: somebody else's
  kSeveral,  // more than one, on one unit
  kRequest,  // nothing persistent, or of a kind that is not known here: closed with the request
};
// After it: what it opened; its sockets are noted.
Opened note_opened(Holding& holding, zend_object* resource);
// What it opened before it failed is nobody's: shut down, and deleted as soon as that can be.
void close_what_a_failed_factory_opened(Holding& holding);

// Makes a parked slot that was taken a resource in use again: runs the factory of `core` or a newer
// object, which finds the open connection; one that the server has closed is replaced. False: it is
// closed or gone, and an exception may be pending. May run PHP code and jump.
bool reattach(PoolCore& core, Holding& holding);
// A resource in use is no good: makes another one on the same unit. False as with reattach().
bool replace(Holding& holding, shm::CloseReason reason);

// The client's own close(), for those whose connection nobody else may close.
void close_client(Holding& holding);
// Once the resource is dropped: deletes the entries that can be deleted by now and leaves the rest
// to the end of the request. True: nothing of them is left.
bool delete_entries(Holding& holding);

}  // namespace oxpool::php
