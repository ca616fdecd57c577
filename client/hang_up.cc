#include "client/hang_up.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>

#include "shm/clock.h"

namespace oxpool {

namespace {

// A socket whose other end can hang up: a stream, not listening, connected.
bool is_connected_stream(int fd) {
  int type = 0;
  int listening = 0;
  socklen_t bytes = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0 || type != SOCK_STREAM) return false;
  bytes = sizeof listening;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &bytes) == 0 && listening != 0) {
    return false;
  }
  sockaddr_storage peer;
  socklen_t peer_bytes = sizeof peer;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_bytes) == 0;
}

bool inode_of(int fd, ino_t* inode) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  *inode = status.st_ino;
  return true;
}

bool still_is(const NotedSocket& socket) {
  ino_t inode;
  return inode_of(socket.fd, &inode) && inode == socket.inode;
}

// False: the other end has not hung up in time.
bool wait_for_end(int fd, int64_t deadline_ns) {
  for (;;) {
    const int64_t left_ns = deadline_ns - shm::monotonic_ns();
    if (left_ns <= 0) return false;
    // POLLRDHUP tells the peer's end of stream also behind data that nobody will read.
    pollfd entry{fd, POLLRDHUP, 0};
    const auto left_ms =
        static_cast<int>((left_ns + shm::kNanosPerMilli - 1) / shm::kNanosPerMilli);
    const int ready = poll(&entry, 1, left_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
}

}  // namespace

std::vector<int> open_descriptors() {
  std::vector<int> result;
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return result;
  const int own = dirfd(directory);
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    if (fd != own) result.push_back(fd);
  }
  closedir(directory);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<NotedSocket> sockets_since(const std::vector<int>& before) {
  const std::vector<int> now = open_descriptors();
  std::vector<int> appeared;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::back_inserter(appeared));
  std::vector<NotedSocket> result;
  for (const int fd : appeared) {
    NotedSocket socket{fd, 0};
    if (inode_of(fd, &socket.inode) && is_connected_stream(fd)) result.push_back(socket);
  }
  return result;
}

std::vector<NotedSocket> open_sockets() {
  std::vector<NotedSocket> result;
  for (const int fd : open_descriptors()) {
    NotedSocket socket{fd, 0};
    if (inode_of(fd, &socket.inode)) result.push_back(socket);
  }
  return result;
}

std::vector<NotedSocket> sockets_since(const std::vector<NotedSocket>& before) {
  std::vector<NotedSocket> result;
  for (const NotedSocket& socket : open_sockets()) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const NotedSocket& other) {
      return other.fd == socket.fd && other.inode == socket.inode;
    });
    if (!known && is_connected_stream(socket.fd)) result.push_back(socket);
  }
  return result;
}

bool all_alive(const std::vector<NotedSocket>& sockets) {
  for (const NotedSocket& socket : sockets) {
    if (!still_is(socket)) return false;
    // Not by reading: behind a last message there may be the end.
    pollfd entry{socket.fd, POLLRDHUP, 0};
    if (poll(&entry, 1, 0) != 0) return false;
  }
  return true;
}

bool any_open(const std::vector<NotedSocket>& sockets) {
  return std::any_of(sockets.begin(), sockets.end(), still_is);
}

HangUp::HangUp(const std::vector<NotedSocket>& sockets) {
  for (const NotedSocket& socket : sockets) {
    if (!still_is(socket)) continue;
    const int duplicate = fcntl(socket.fd, F_DUPFD_CLOEXEC, 0);
    if (duplicate >= 0) pairs_.push_back({socket, duplicate});
  }
}

HangUp::~HangUp() {
  for (const Pair& pair : pairs_) close(pair.duplicate);
}

HangUp::Outcome HangUp::wait(uint32_t timeout_ms) {
  for (const Pair& pair : pairs_) {
    if (still_is(pair.original)) return Outcome::kStillOpen;
  }
  return wait_for_peers(timeout_ms);
}

HangUp::Outcome HangUp::shut_down(uint32_t timeout_ms) {
  const Outcome outcome = wait_for_peers(timeout_ms);
  for (const Pair& pair : pairs_) shutdown(pair.duplicate, SHUT_RDWR);
  return outcome;
}

HangUp::Outcome HangUp::wait_for_peers(uint32_t timeout_ms) {
  const int64_t deadline_ns =
      shm::deadline_after(shm::monotonic_ns(), int64_t{timeout_ms} * shm::kNanosPerMilli);
  for (const Pair& pair : pairs_) {
    // Our duplicate keeps the connection open: say that this side is done, or a peer that waits for
    // the end of the stream would never hang up.
    shutdown(pair.duplicate, SHUT_WR);
    if (!wait_for_end(pair.duplicate, deadline_ns)) return Outcome::kTimedOut;
  }
  return Outcome::kClosed;
}

void begin_shut_down(const std::vector<NotedSocket>& sockets) {
  for (const NotedSocket& socket : sockets) {
    if (still_is(socket)) shutdown(socket.fd, SHUT_WR);
  }
}

void finish_shut_down(const std::vector<NotedSocket>& sockets, int64_t deadline_ns) {
  for (const NotedSocket& socket : sockets) {
    if (!still_is(socket)) continue;
    wait_for_end(socket.fd, deadline_ns);
    shutdown(socket.fd, SHUT_RDWR);
  }
}

}  // namespace oxpool
