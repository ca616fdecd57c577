#include "client/sleep.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "client/connection.h"

namespace oxpool {

namespace {

// What the handler reads. Written while `awake` stands, by the thread that it will interrupt.
struct Asleep {
  std::atomic<bool> asleep{false};
  Lane* lane = nullptr;
  int session = -1;
  size_t count = 0;
  std::array<Pool*, Sleep::kMostPools> pools{};
  Sleep::Afterwards afterwards = nullptr;
  bool in_afterwards = false;
};
static_assert(std::atomic<bool>::is_always_lock_free);

Asleep g_state;
int g_signal = Sleep::kOff;
uint64_t g_told_session = 0;  // Process::session_serial() of the one that knows its signal
std::atomic<uint32_t> g_wakes{0};
struct sigaction g_previous = {};
struct sigaction g_previous_overflow = {};

// Whether anything was closed.
bool close_what_is_flagged() {
  if (!g_state.lane->usable()) return false;
  drain_session(g_state.session);
  // First, so that a flag that comes now is told again.
  g_state.lane->attend();
  bool closed = false;
  for (size_t i = 0; i < g_state.count; ++i) {
    if (g_state.pools[i]->close_flagged_asleep()) closed = true;
  }
  return closed;
}

// Wakes come through meanwhile, and close what they are about; this is entered once.
void go_on_afterwards(int number) {
  if (g_state.afterwards == nullptr || g_state.in_afterwards) return;
  g_state.in_afterwards = true;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  sigprocmask(SIG_UNBLOCK, &own, nullptr);  // the handler's end restores the mask
  for (size_t i = 0; i < g_state.count; ++i) g_state.afterwards(*g_state.pools[i]);
  g_state.in_afterwards = false;
}

void call(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    if (action.sa_sigaction != nullptr) action.sa_sigaction(number, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(number);
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  g_wakes.fetch_add(1, std::memory_order_relaxed);
  const bool closed = g_state.asleep.load(std::memory_order_acquire) && close_what_is_flagged();
  call(number == SIGIO && g_signal != SIGIO ? g_previous_overflow : g_previous, number, info,
       context);
  if (closed) go_on_afterwards(number);
  errno = error;
}

void install(int number, struct sigaction* previous) {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, previous);
}

bool arm(int session, uint64_t serial) {
  if (g_told_session != serial) {
    const f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(syscall(SYS_gettid))};
    if (fcntl(session, F_SETOWN_EX, &owner) != 0 || fcntl(session, F_SETSIG, g_signal) != 0) {
      return false;
    }
    g_told_session = serial;
  }
  const int flags = fcntl(session, F_GETFL);
  return flags >= 0 && fcntl(session, F_SETFL, flags | O_ASYNC) == 0;
}

void disarm(int session) {
  const int flags = fcntl(session, F_GETFL);
  if (flags >= 0) fcntl(session, F_SETFL, flags & ~O_ASYNC);
}

}  // namespace

bool Sleep::is_signal(int number) {
  return number == kOff || number == SIGUSR1 || number == SIGUSR2 || number == SIGIO ||
         number == SIGURG || (number >= SIGRTMIN && number <= SIGRTMAX);
}

int Sleep::usual_signal() { return SIGRTMIN + 3; }

void Sleep::use_signal(int number) {
  if (g_signal != kOff || number == kOff) return;
  g_signal = number;
  install(number, &g_previous);
  // What the kernel raises when a signal can not be queued; it would end the process.
  struct sigaction overflow = {};
  if (number != SIGIO && sigaction(SIGIO, nullptr, &overflow) == 0 &&
      (overflow.sa_flags & SA_SIGINFO) == 0 && overflow.sa_handler == SIG_DFL) {
    install(SIGIO, &g_previous_overflow);
  }
}

void Sleep::begin(Lane& lane, std::span<Pool* const> pools, Afterwards afterwards) {
  if (g_signal == kOff || !lane.still_usable()) return;
  size_t count = 0;
  for (Pool* pool : pools) {
    if (pool->can_close_asleep() && count < kMostPools) g_state.pools[count++] = pool;
  }
  if (count == 0) return;
  lane.process().tend_session();  // a slot that is only used again and again never led there
  const int session = lane.process().session_descriptor();
  if (session < 0 || !lane.usable()) return;
  g_state.lane = &lane;
  g_state.session = session;
  g_state.count = count;
  g_state.afterwards = afterwards;
  // Bytes from before the last waking up would hide no new one, but raise no signal either.
  drain_session(session);
  if (!arm(session, lane.process().session_serial())) return;
  g_state.asleep.store(true, std::memory_order_release);
  // Then look: who flags sees that this lane sleeps, or is seen here (shm::sleep_of).
  lane.set_sleep(shm::LaneSleep::kSignal);
  // The signal itself does it, so that this never runs twice at the same time.
  if (lane.has_attention()) raise(g_signal);
}

void Sleep::end() {
  if (!g_state.asleep.load(std::memory_order_relaxed)) return;
  g_state.asleep.store(false, std::memory_order_release);
  if (g_state.lane->process().forked()) return;
  disarm(g_state.session);
  if (!g_state.lane->usable()) return;
  g_state.lane->set_sleep(shm::LaneSleep::kAwake);
  for (size_t i = 0; i < g_state.count; ++i) {
    if (g_state.pools[i]->any_flagged()) g_state.lane->ask_for_attention();
  }
}

uint32_t Sleep::wakes() { return g_wakes.load(std::memory_order_relaxed); }

}  // namespace oxpool
