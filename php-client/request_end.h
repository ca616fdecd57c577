// The end of a request, in layers of which each assumes that the one before may not have run:
//
//  1. a shutdown function that runs last: idle resources are closed while everything still works;
//  from
//     then on whatever comes back is closed at once
//  2. RSHUTDOWN: what is left is closed; PHP code runs here even after a fatal error
//  3. free_obj of Handles and Pools (handle_class, pool_class): no PHP code
//  4. post_deactivate: all objects are gone; what they kept open is closed by now, its units go
//  back
//
// SIGKILL and the like run none of these: then the daemon gives the units back.
#pragma once

#include "worker.h"

namespace oxpool::php {

// Layer 1: sees to it that run_shutdown_function() runs in this request.
void close_at_request_end(Worker& worker);
// Layer 1. Appends itself anew until no other shutdown function is left.
void run_shutdown_function();
// Layer 2.
void close_request(Worker& worker);
// Layer 4. Runs no PHP code.
void forget_request(Worker& worker);

}  // namespace oxpool::php
