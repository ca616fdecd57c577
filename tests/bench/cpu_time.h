// CPU time of a process as the scheduler counts it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace oxpool::bench {

// Nanoseconds of CPU that all threads of the process have used; 0 when it is gone.
int64_t cpu_time_ns(pid_t pid);

// Resident set in KiB, shared pages included; 0 when it is gone.
int64_t resident_kib(pid_t pid);
// Of these, what is the process's own: no file and no segment.
int64_t private_kib(pid_t pid);

}  // namespace oxpool::bench
