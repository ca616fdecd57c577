// What PHP wants to run while something waits: signal handlers and time limits.
#pragma once

#include "engine.h"

namespace oxpool::php {

// Whether a signal handler may have to run soon, so that slices are to be short. Asks pcntl; no PHP
// code of the user runs.
bool signals_are_asynchronous();

// Runs what is pending. A signal handler may throw (EG(exception)), wait for itself, fork, or jump;
// a time limit jumps, after `leave(context)` has ended the wait.
void run_interrupts(void (*leave)(void*), void* context);

}  // namespace oxpool::php
