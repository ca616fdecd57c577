// How many processes of a namespace are alive, asked of its lock file alone.
#pragma once

#include <cstdint>
#include <string>

namespace oxpool::daemon {

// Whether any worker's token is held: any byte but the daemon's. One system call. `probe_fd` is a
// descriptor of the lock file; answers true when the question can not be asked.
bool any_worker_alive(int probe_fd);
// The same by the file's path; false when there is no such file.
bool any_worker_alive(const std::string& lock_path);

// How many workers' tokens are held; 0 when the file does not exist. One system call for each that
// there could be, when there is any.
uint32_t count_workers_alive(const std::string& lock_path);

}  // namespace oxpool::daemon
