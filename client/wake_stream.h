// A descriptor for event loops: readable when the daemon wants this lane to look at its idle slots.
#pragma once

#include <cstdint>

#include "client/lane.h"

namespace oxpool {

// An epoll descriptor with the session in it, and a timer while there is no session. So the
// descriptor stays the same over restarts of the daemon, whatever kind of loop watches it.
//
// Invariant: while the object lives in the process that made it, its lane is told by its session
// (LaneSleep::kStream); once look() was called, it is readable only when there is something to do.
//
// Thread safety: one thread, the lane's.
class WakeStream {
 public:
  // Not open() when the process is out of descriptors. Never readable before join().
  WakeStream();
  ~WakeStream();
  WakeStream(const WakeStream&) = delete;
  WakeStream& operator=(const WakeStream&) = delete;

  bool open() const { return epoll_ >= 0; }
  int descriptor() const { return epoll_; }

  // From now on it is the lane's; the descriptor stays the same over several lives. leave() before
  // the lane goes.
  void join(Lane& lane);
  void leave();

  // Called in every turn of a loop. Looks at the session, and takes its bytes, once in a tick of
  // the coarse clock: until then the descriptor may stay readable. Nothing else costs a system
  // call.
  void look() {
    const int64_t now_ns = shm::coarse_ns();
    if (now_ns != looked_ns_) look_now(now_ns);
  }

 private:
  void look_now(int64_t now_ns);
  void try_again_later();

  Lane* lane_ = nullptr;
  const ForkGuard fork_guard_;
  int epoll_ = -1;
  int timer_ = -1;
  uint64_t session_serial_ = 0;  // of the session that it knows to be in there; 0 = none
  int64_t looked_ns_ = 0;
};

}  // namespace oxpool
