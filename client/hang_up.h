// Closed means that the other end has hung up: finding a resource's sockets and waiting for that.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace oxpool {

struct NotedSocket {
  int fd;
  ino_t inode;
};

// The descriptors that are open now, ascending.
std::vector<int> open_descriptors();

// Connected stream sockets that are open now and were not in `before`: what a factory opened.
std::vector<NotedSocket> sockets_since(const std::vector<int>& before);

// The sockets that are open now, in the order of their descriptors.
std::vector<NotedSocket> open_sockets();
// As above, of what may have been closed meanwhile, with its descriptor used again.
std::vector<NotedSocket> sockets_since(const std::vector<NotedSocket>& before);

// Whether all of these are still open, and their other ends have not hung up.
bool all_alive(const std::vector<NotedSocket>& sockets);
// Whether any of them is still open in this process, be it dead or alive.
bool any_open(const std::vector<NotedSocket>& sockets);

// For a signal handler that closes a connection which stays open in this process: says on the
// sockets that are still what they were that this side is done; then waits until `deadline_ns` for
// the other ends and shuts everything down. Async-signal-safe.
void begin_shut_down(const std::vector<NotedSocket>& sockets);
void finish_shut_down(const std::vector<NotedSocket>& sockets, int64_t deadline_ns);

// Made before destroy runs, asked after it.
//
// A server counts a connection until it has noticed the close. PostgreSQL with a limit of 8 refused
// 0.1–1.3 % of connects when a unit was given back right after PQfinish; after waiting for the end
// of the stream on a duplicate of the socket, none.
class HangUp {
 public:
  // Duplicates the sockets that are still what they were. Costs nothing when there are none.
  explicit HangUp(const std::vector<NotedSocket>& sockets);
  ~HangUp();
  HangUp(const HangUp&) = delete;
  HangUp& operator=(const HangUp&) = delete;

  enum class Outcome {
    kClosed,     // the other ends have hung up, or there were none
    kTimedOut,   // not within the time
    kStillOpen,  // a socket is still open in this process: somebody keeps the resource
  };
  // Waits up to `timeout_ms` in all.
  Outcome wait(uint32_t timeout_ms);
  // The same for connections that stay open in this process, which nobody is to use any more: they
  // are shut down for both sides. Never kStillOpen.
  Outcome shut_down(uint32_t timeout_ms);

 private:
  Outcome wait_for_peers(uint32_t timeout_ms);
  struct Pair {
    NotedSocket original;
    int duplicate;
  };
  std::vector<Pair> pairs_;
};

}  // namespace oxpool
