// Slots that outlive the request that made them, because the connection underneath does.
//
// PHP frees every object when a request ends; a connection of its persistent list stays. So a slot
// of a pool with `persistent` is parked then: its unit stays with the process and counts as idle,
// the Holding remembers what its factory put into the list. The next acquire takes it hot and runs
// the factory again, which finds the open connection.
//
// A connection is really closed by two things, of which each has its place:
//  - its sockets are shut down: at any time. The server hangs up and the unit is free.
//  - its entry of the list is deleted: only while no object can point into it. That is after the
//    last object of a request is gone (post_deactivate), before the first one is made (RINIT), or,
//    with PDO, which counts its objects, when none is left.
// phpredis keeps raw pointers to its streams: its entries are never deleted here. It throws a dead
// stream away by itself.
#pragma once

#include "worker.h"

namespace oxpool::php {

// RSHUTDOWN: the objects of idle slots that are to be parked go, while PHP code still runs.
void leave_objects(Worker& worker);
bool any_to_be_parked(const Worker& worker);
// post_deactivate: parks what may stay and closes the rest.
void park_or_close(Worker& worker);
// The next request's slot keys begin with the lowest numbers that no parked slot has, and no key is
// used again in one request: few keys in all, so that what a client remembers by its key is found
// again and does not pile up.
void restart_slot_numbers(Worker& worker);
// RINIT: closes what was flagged meanwhile, or was lost.
void close_parked_at_start(Worker& worker);

// A parked slot whose unit somebody has given back already, after shutting its sockets down: its
// entries are deleted, and the holding is gone. Only where no object of a request lives.
void forget_parked(Holding& holding);
// In a close within a request: parked slots of this worker to which the client could hand the
// connection that is about to be dead, or the other way round, are closed too.
void close_parked_siblings(Holding& holding);

// At module start. When the process ends PHP destroys its persistent list before it tells anybody;
// of that list ours is the entry that goes first: the units of parked slots go back once their
// servers have hung up.
void register_list_end(int module_number);

}  // namespace oxpool::php
