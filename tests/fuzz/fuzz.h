// What the fuzz targets have in common.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// A promise that was not kept is a crash as good as any.
#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace oxpool::fuzz {

// A file that is gone with its descriptor.
inline int file_of(const void* bytes, size_t count) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  FUZZ_CHECK(fd >= 0);
  FUZZ_CHECK(write(fd, bytes, count) == static_cast<ssize_t>(count));
  return fd;
}

// On tmpfs; its user removes it.
inline std::string make_directory() {
  char name[] = "/dev/shm/oxpool-fuzz-XXXXXX";
  FUZZ_CHECK(mkdtemp(name) != nullptr);
  return name;
}

inline std::string path_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace oxpool::fuzz
