#include "client/fork_guard.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace oxpool {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr int kMaxDescriptors = 256;

// Plain atomics: an atfork handler may not lock or allocate.
std::atomic<int> g_descriptors[kMaxDescriptors];

void close_all_in_child() {
  for (std::atomic<int>& entry : g_descriptors) {
    const int fd = entry.exchange(0, std::memory_order_relaxed) - 1;
    if (fd >= 0) close(fd);
  }
}

void install_handler_once() {
  static const int installed = pthread_atfork(nullptr, nullptr, close_all_in_child);
  (void)installed;
}

}  // namespace

ForkGuard::ForkGuard() {
  void* page =
      mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  madvise(page, kPageBytes, MADV_WIPEONFORK);
  page_ = new (page) std::atomic<uint32_t>(1);
}

ForkGuard::~ForkGuard() { munmap(page_, kPageBytes); }

void close_in_forked_child(int fd) {
  install_handler_once();
  for (std::atomic<int>& entry : g_descriptors) {
    int expected = 0;
    if (entry.compare_exchange_strong(expected, fd + 1, std::memory_order_relaxed)) return;
  }
}

void forget_in_forked_child(int fd) {
  for (std::atomic<int>& entry : g_descriptors) {
    int expected = fd + 1;
    if (entry.compare_exchange_strong(expected, 0, std::memory_order_relaxed)) return;
  }
}

}  // namespace oxpool
