// The ends of an attachment that are not the worker's own doing: a fork, a burial.
#pragma once

#include "worker.h"

namespace oxpool::php {

// From now on a forked child has its parent's sockets replaced before any PHP code runs in it: a
// statement or a cursor made from a resource may say goodbye to the server when its variable goes,
// long before the child calls a pool.
void leave_sockets_to_parents();

// In a forked child: what was inherited is the parent's. Its resources are left alone for good (no
// destroy, no destructor, and their sockets are replaced so that nothing that still refers to them
// can write to the parent's connections); Handles are stale; the pools are there to be attached
// anew. Does nothing the second time.
void forget_parents_life(Worker& worker);

// When the attachment is over: forgets it, in a forked child as above; otherwise (buried alive, the
// daemon started anew) destroys the idle resources, whose units are others' by now. May run PHP
// code and leave an exit() pending.
void leave_lost_life(Worker& worker);

}  // namespace oxpool::php
