#include "daemon/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "daemon/refused.h"

namespace oxpool::daemon {

namespace {

sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

int open_signals() {
  const sigset_t signals = handled_signals();
  const int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd < 0) throw Refused(std::string("signals can not be read: ") + std::strerror(errno));
  return fd;
}

}  // namespace

void block_signals() {
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Signals::Signals(boost::asio::io_context& io) : descriptor_(io, open_signals()) {}

void Signals::listen(std::function<void(int)> handle) {
  handle_ = std::move(handle);
  wait();
}

void Signals::stop() { descriptor_.cancel(); }

void Signals::wait() {
  descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                           if (error) return;
                           signalfd_siginfo signal;
                           while (read(descriptor_.native_handle(), &signal, sizeof signal) ==
                                  static_cast<ssize_t>(sizeof signal)) {
                             handle_(static_cast<int>(signal.ssi_signo));
                           }
                           wait();
                         });
}

}  // namespace oxpool::daemon
