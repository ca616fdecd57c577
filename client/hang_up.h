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

 private:
  struct Pair {
    NotedSocket original;
    int duplicate;
  };
  std::vector<Pair> pairs_;
};

}  // namespace oxpool
