// What a child of php-fpm does after one request and before the next, when the response is out:
// it can be woken to close what was flagged (client/sleep.h), and it may wait at the accept gate
// (client/accept_gate.h).
//
// post_deactivate is too early for that: the web server gets the end of the response in
// sapi_deactivate, after it. So that one is wrapped.
#pragma once

#include "worker.h"

namespace oxpool::php {

// MINIT, MSHUTDOWN: around sapi_module.deactivate, where processes serve one request after the
// other. Thread-safe PHP is left alone: a signal handler there would run amid another thread's
// request.
void hook_ends_of_responses();
void unhook_ends_of_responses();

// RINIT, first: nothing interrupts from here on; what was closed meanwhile is forgotten.
void wake_up(Worker& worker);
// RINIT, where a sentence can be logged: what oxpool.wake_signal says.
void read_wake_signal();

}  // namespace oxpool::php
