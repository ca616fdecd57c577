#include "client/wake_stream.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>

#include "client/connection.h"

namespace oxpool {

namespace {

// A session that has ended is tried to be resumed about as often as that.
constexpr time_t kTryAgainSeconds = 1;

constexpr int kMostStreams = 16;
// Plain atomics: an atfork handler may not lock or allocate. The number + 1; 0 = none.
std::atomic<int> g_streams[kMostStreams];

// The parent's would tell the child what is the parent's to do. Only system calls.
void blind_all_in_child() {
  for (std::atomic<int>& entry : g_streams) {
    const int fd = entry.exchange(0, std::memory_order_relaxed) - 1;
    if (fd < 0) continue;
    const int empty = epoll_create1(EPOLL_CLOEXEC);
    if (empty < 0) {
      close(fd);
      continue;
    }
    dup3(empty, fd, O_CLOEXEC);
    close(empty);
  }
}

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void set_timer(int timer, time_t seconds) {
  itimerspec time{};
  time.it_value.tv_sec = seconds;
  timerfd_settime(timer, 0, &time, nullptr);  // also takes an expiry back that was not read
}

// A forked child finds a descriptor that is never readable under its parent's number.
void blind_in_forked_child(int fd) {
  static const int installed = pthread_atfork(nullptr, nullptr, blind_all_in_child);
  (void)installed;
  for (std::atomic<int>& entry : g_streams) {
    int expected = 0;
    if (entry.compare_exchange_strong(expected, fd + 1, std::memory_order_relaxed)) return;
  }
}

void forget_to_blind(int fd) {
  for (std::atomic<int>& entry : g_streams) {
    int expected = fd + 1;
    if (entry.compare_exchange_strong(expected, 0, std::memory_order_relaxed)) return;
  }
}

}  // namespace

WakeStream::WakeStream()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (epoll_ >= 0 && timer_ >= 0) {
    blind_in_forked_child(epoll_);
    close_in_forked_child(timer_);
    watch(epoll_, timer_);
    return;
  }
  if (epoll_ >= 0) close(epoll_);
  if (timer_ >= 0) close(timer_);
  epoll_ = timer_ = -1;
}

WakeStream::~WakeStream() {
  if (!open()) return;
  leave();
  // In a forked child the one's number is an empty descriptor's, and the other's may be anything.
  forget_to_blind(epoll_);
  close(epoll_);
  if (fork_guard_.forked()) return;
  forget_in_forked_child(timer_);
  close(timer_);
}

void WakeStream::join(Lane& lane) {
  leave();
  if (!open() || lane.process().local_host() != nullptr) return;
  lane_ = &lane;
  session_serial_ = lane.process().session_serial();
  lane.process().put_sessions_into(epoll_);
  // Who flags from now on sees that this lane is told; what was flagged before, the next tick()
  // sees.
  lane.set_sleep(shm::LaneSleep::kStream);
}

void WakeStream::leave() {
  if (lane_ == nullptr || fork_guard_.forked()) {
    lane_ = nullptr;
    return;
  }
  Process& process = lane_->process();
  process.put_no_sessions_into(epoll_);
  if (process.session_descriptor() >= 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, process.session_descriptor(), nullptr);
  }
  set_timer(timer_, 0);
  session_serial_ = 0;
  if (lane_->usable()) lane_->set_sleep(shm::LaneSleep::kAwake);
  lane_ = nullptr;
}

void WakeStream::try_again_later() {
  if (session_serial_ != 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, lane_->process().session_descriptor(), nullptr);
    session_serial_ = 0;
  }
  set_timer(timer_, kTryAgainSeconds);
}

void WakeStream::look_now(int64_t now_ns) {
  looked_ns_ = now_ns;
  if (lane_ == nullptr || !lane_->usable()) return;
  Process& process = lane_->process();
  if (session_serial_ == process.session_serial() && process.session_descriptor() >= 0 &&
      !session_has_ended(process.session_descriptor())) {
    drain_session(process.session_descriptor());
    return;
  }
  process.tend_session();  // at most once a second
  if (process.session_descriptor() >= 0 && !session_has_ended(process.session_descriptor())) {
    session_serial_ = process.session_serial();  // the process has put it in
    set_timer(timer_, 0);
  } else {
    try_again_later();
  }
}

}  // namespace oxpool
