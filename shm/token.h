// A process's sign of life: an OFD lock on its byte of the namespace's lock file.
#pragma once

#include <cstdint>
#include <string>

#include "shm/error.h"

namespace oxpool::shm {

// Opens the lock file anew and takes the byte of process record `process`. The descriptor that
// comes back is an open file description of its own: the lock lives exactly as long as its last
// copy, whoever holds it, in whatever PID namespace. It is sent to the process and closed here.
// Error kInUse: somebody alive has the byte.
Error take_token(const std::string& lock_path, uint32_t process, int* fd);

// Whether the process that took byte `process` still has it. `probe_fd` is any descriptor of the
// same lock file whose own lock is on another byte (a description never sees its own locks).
// Answers true when the question can not be asked: nobody is declared dead by an error. 0.5–5 µs.
bool token_held(int probe_fd, uint32_t process);

}  // namespace oxpool::shm
