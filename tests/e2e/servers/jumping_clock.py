"""A wall clock that is years off, another way each time it is read; the monotonic clock is left as it is.

Each thread sees the years in their order, so that what a loop of one thread reads comes round the same way."""

import os
import subprocess

SOURCE = r"""
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define INTERPOSED extern "C" __attribute__((visibility("default")))

static const long kYears[] = {YEARS};

static long off() {
  static thread_local unsigned reads = 0;
  return kYears[reads++ % (sizeof kYears / sizeof *kYears)] * 365 * 86400;
}

INTERPOSED int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  using Function = int (*)(clockid_t, struct timespec*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int status = real(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)) {
    now->tv_sec += off();
  }
  return status;
}

INTERPOSED int gettimeofday(struct timeval* now, void*) noexcept {
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

INTERPOSED time_t time(time_t* result) noexcept {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

INTERPOSED int timespec_get(struct timespec* now, int base) noexcept {
  return clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}
"""


def build_jumping_clock(directory, years=(10, -10, 0, 30, -3)):
    """Compiles it and returns the path of a library for LD_PRELOAD. It is off by the `years`, one after the other."""
    library = os.path.join(directory, f"jumping_clock{'_'.join(map(str, years))}.so")
    source = SOURCE.replace("YEARS", ", ".join(map(str, years)))
    subprocess.run(
        ["g++", "-x", "c++", "-shared", "-fPIC", "-O1", "-o", library, "-"], input=source, text=True, check=True
    )
    os.chmod(library, 0o755)
    return library
