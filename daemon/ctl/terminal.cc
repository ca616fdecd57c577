#include "daemon/ctl/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace oxpool::ctl {

namespace {

constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l";
constexpr char kLeave[] = "\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kCrashing[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Read by handlers.
termios before;
volatile sig_atomic_t taken = 0;
int signal_pipe[2] = {-1, -1};

void write_all(const char* text, size_t bytes) {
  while (bytes != 0) {
    const ssize_t written = write(STDOUT_FILENO, text, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<size_t>(written);
  }
}

// Async-signal-safe, as are all that call it.
void give_back() {
  if (taken == 0) return;
  taken = 0;
  write_all(kLeave, sizeof kLeave - 1);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void take() {
  termios raw = before;
  raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO));
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  taken = 1;
  write_all(kEnter, sizeof kEnter - 1);
}

void tell(char what) {
  const int error = errno;
  if (write(signal_pipe[1], &what, 1) < 0) {
    // Full: there is enough to wake up for.
  }
  errno = error;
}

void on_ending(int) { tell('e'); }
void on_change(int) { tell('c'); }

void on_crash(int number) {
  give_back();
  signal(number, SIG_DFL);
  raise(number);
}

void on_stop(int) {
  const int error = errno;
  give_back();
  raise(SIGSTOP);
  take();  // SIGCONT came
  tell('c');
  errno = error;
}

void handle(int number, void (*handler)(int), int flags = SA_RESTART) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

}  // namespace

bool Terminal::there() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

Terminal::Terminal() {
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
  tcgetattr(STDIN_FILENO, &before);
  std::atexit(give_back);
  for (const int number : kEnding) handle(number, on_ending);
  for (const int number : kCrashing) handle(number, on_crash);
  handle(SIGWINCH, on_change);
  handle(SIGTSTP, on_stop);
  take();
}

Terminal::~Terminal() {
  give_back();
  for (const int number : kEnding) signal(number, SIG_DFL);
  for (const int number : kCrashing) signal(number, SIG_DFL);
  signal(SIGWINCH, SIG_DFL);
  signal(SIGTSTP, SIG_DFL);
  close(signal_pipe[0]);
  close(signal_pipe[1]);
}

Terminal::Size Terminal::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Terminal::show(const std::string& screen) const { write_all(screen.data(), screen.size()); }

int Terminal::signal_fd() const { return signal_pipe[0]; }

bool Terminal::take_signals() {
  char what[64];
  bool end = false;
  for (ssize_t got; (got = read(signal_pipe[0], what, sizeof what)) > 0;) {
    end = end || std::memchr(what, 'e', static_cast<size_t>(got)) != nullptr;
  }
  return end;
}

}  // namespace oxpool::ctl
