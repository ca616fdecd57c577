// The terminal while a program has all of it.
#pragma once

#include <cstddef>
#include <string>

namespace oxpool::ctl {

// From construction to destruction the terminal shows another screen, without echo and cursor. It
// is as before after every end but SIGKILL: also after an exit, a stop (SIGTSTP, until SIGCONT),
// and a signal that ends the program.
//
// One at a time; the thread that made it.
class Terminal {
 public:
  struct Size {
    size_t columns = 80;
    size_t lines = 24;
  };

  // Whether standard input and output are one.
  static bool there();

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;
  // Shows it in one piece, instead of what was there.
  void show(const std::string& screen) const;

  // Readable when a signal came: the size may be another, the screen is to be shown again, or the
  // program is to end.
  int signal_fd() const;
  // Takes notice; true: to end.
  bool take_signals();
};

}  // namespace oxpool::ctl
