// The handshake on client.sock, each step of it before one deadline.
#pragma once

#include <cstdint>
#include <string>

#include "client/status.h"
#include "proto/handshake.h"

namespace oxpool {

// A file descriptor that is closed at the end.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd() { reset(); }
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Handshake {
  OwnedFd session;  // stays open: its EOF tells each side that the other is gone
  OwnedFd segment;  // of kAttach only
  OwnedFd token;    // of kAttach only
  proto::Reply reply{};
  int64_t clock_offset_ns = 0;  // the daemon's CLOCK_MONOTONIC less this process's
};

// Connects to `runtime_dir`/client.sock, says `hello` (its magic, sizes and clock are filled in
// here) and reads the answer. Takes at most `timeout_ms`. Errors: kUnreachable (no socket, nobody
// listens, no answer in time), kUnavailable (no permission, and what the daemon calls so),
// kRefused, kAbi, kProtocol, kCapacity, kFenced (resume of a life
// unknown there).
Error shake_hands(const std::string& runtime_dir, proto::Hello hello, int timeout_ms,
                  Handshake* result);

// Whether the daemon has ended a session: not by reading, there may be bytes before the end that
// nobody has taken. Async-signal-safe.
bool session_has_ended(int session);

// Takes the bytes that came on a session. Never waits; async-signal-safe.
void drain_session(int session);

// Only connects, and hangs up: whether somebody listens there. Errors as above.
Error knock(const std::string& runtime_dir, int timeout_ms);

}  // namespace oxpool
