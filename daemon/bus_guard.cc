#include "daemon/bus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace oxpool::daemon {

namespace {

// Read by the signal handler, hence plain atomics: `bytes` is 0 while the entry is unused, and is
// stored after `base`.
struct Watched {
  std::atomic<char*> base{nullptr};
  std::atomic<size_t> bytes{0};
  std::atomic<bool> hit{false};
};
static_assert(std::atomic<char*>::is_always_lock_free);

Watched watched[BusGuard::kCapacity];

Watched* find(uintptr_t address) {
  for (Watched& entry : watched) {
    const size_t bytes = entry.bytes.load(std::memory_order_acquire);
    const auto base = reinterpret_cast<uintptr_t>(entry.base.load(std::memory_order_relaxed));
    if (bytes != 0 && address - base < bytes) return &entry;  // unsigned: below base is far above
  }
  return nullptr;
}

// Async-signal-safe: atomics, mmap and sigaction only.
void on_bus_error(int, siginfo_t* info, void*) {
  Watched* entry = find(reinterpret_cast<uintptr_t>(info->si_addr));
  if (entry != nullptr) {
    void* base = entry->base.load(std::memory_order_relaxed);
    const size_t bytes = entry->bytes.load(std::memory_order_relaxed);
    entry->hit.store(true, std::memory_order_release);
    // Not by mmap(): the thread sanitizer takes that for a write to all of it, by whichever thread
    // happened to touch the missing page first.
    if (syscall(SYS_mmap, base, bytes, PROT_READ | PROT_WRITE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1) {
      return;
    }
  }
  // Not ours: the instruction runs again and ends the program.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGBUS, &standard, nullptr);
}

}  // namespace

void BusGuard::install() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

int BusGuard::watch(void* base, size_t bytes) {
  for (uint32_t number = 0; number < kCapacity; ++number) {
    Watched& entry = watched[number];
    if (entry.bytes.load(std::memory_order_relaxed) != 0) continue;
    entry.base.store(static_cast<char*>(base), std::memory_order_relaxed);
    entry.hit.store(false, std::memory_order_relaxed);
    entry.bytes.store(bytes, std::memory_order_release);
    return static_cast<int>(number);
  }
  return kNone;
}

void BusGuard::unwatch(int number) {
  if (number != kNone) watched[number].bytes.store(0, std::memory_order_release);
}

bool BusGuard::was_hit(int number) {
  return number != kNone && watched[number].hit.load(std::memory_order_acquire);
}

}  // namespace oxpool::daemon
