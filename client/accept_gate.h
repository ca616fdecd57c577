// The accept gate: a process without a slot takes no request while no unit is free, so that its
// listen socket's queue waits for those who have one.
#pragma once

#include <array>
#include <cstddef>

#include "client/pool.h"

namespace oxpool {

enum class GateEnd {
  kNotGated,      // there was nothing to wait for
  kUnitFree,      // a unit came free
  kNothingMoved,  // requests wait at the listen socket, and nobody seems to serve them
  kToldToStop,    // a signal closed the listen socket, or another one came
  kClosed,        // the pool is paused or drained: requests are to fail or wait by themselves
  kNoDaemon,
  kHasVisitor,  // a request was accepted already, or its connection is kept for the next one
};

const char* gate_end_text(GateEnd end);

// The socket that this process accepts requests from, under all the numbers that it has here.
class ListenSocket {
 public:
  // Looks through the open descriptors. Not open when there is none, or several different ones.
  static ListenSocket find();
  // One that is known.
  static ListenSocket of(int fd);
  // Whether all of its numbers still are a listening socket. php-fpm closes one of them when the
  // child is to end.
  bool open() const;
  // Whether somebody waits to be accepted.
  bool readable() const;
  // Whether a connection that was accepted from it is open in this process: that visitor's next
  // word is for this process alone. Async-signal-safe; some 200 system calls.
  bool has_visitor() const;

 private:
  static constexpr size_t kMostNumbers = 4;
  size_t count_ = 0;
  std::array<int, kMostNumbers> fds_{};
};

// Waits at the pool's gate, if it asks for one (PoolTrait) and this process has no idle slot there.
// A futex in slices of 50 ms, whose end is only looked at: never polls more often than that.
// Between two requests.
GateEnd wait_at_gate(Pool& pool, const ListenSocket& listen_socket);

}  // namespace oxpool
