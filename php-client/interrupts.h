// What PHP wants to run while an acquire waits: signal handlers and time limits.
#pragma once

#include "worker.h"

namespace oxpool::php {

// Whether a signal handler may have to run soon, so that slices are to be short. Asks pcntl; no PHP
// code of the user runs.
bool signals_are_asynchronous();

// Runs what is pending. A signal handler may throw (EG(exception)), acquire for itself, fork, or
// jump; a time limit jumps, after the wait has been ended.
void run_interrupts(Worker& worker, PendingAcquire& pending);

}  // namespace oxpool::php
