// Preloaded before the address sanitizer's runtime: PHP loads extensions with RTLD_DEEPBIND, which
// a sanitized one can not be loaded with.
#include <dlfcn.h>

extern "C" void* dlopen(const char* file, int flags) {
  using Dlopen = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  return next(file, flags & ~RTLD_DEEPBIND);
}
