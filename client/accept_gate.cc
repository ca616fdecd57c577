#include "client/accept_gate.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>

#include "client/hang_up.h"
#include "client/sleep.h"
#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/gate.h"
#include "shm/gated.h"

namespace oxpool {

namespace {

constexpr int64_t kSliceNs = 50 * shm::kNanosPerMilli;
// So many slices in a row without a movement, while requests wait.
constexpr int kStillSlices = 2;
// The daemon is asked about by a system call: once in a while.
constexpr int kSlicesPerDaemonLook = 20;

bool is_listening(int fd) {
  int listening = 0;
  socklen_t bytes = sizeof listening;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &bytes) == 0 && listening != 0;
}

ino_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

// A connection has the name of the socket that it was accepted from; with TCP the address may be a
// wildcard there.
bool same_name(const sockaddr_storage& a, socklen_t a_bytes, const sockaddr_storage& b,
               socklen_t b_bytes) {
  const auto port_of = [](const sockaddr_storage& name) {
    return name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                      : reinterpret_cast<const sockaddr_in&>(name).sin_port;
  };
  const auto is_internet = [](const sockaddr_storage& name) {
    return name.ss_family == AF_INET || name.ss_family == AF_INET6;
  };
  if (is_internet(a) && is_internet(b)) return port_of(a) == port_of(b);
  return a_bytes == b_bytes && std::memcmp(&a, &b, a_bytes) == 0;
}

// Beyond these no visitor's connection is looked for: the lowest free number is taken.
constexpr int kMostDescriptors = 256;

// One process at a gate, counted as long as the object lives.
class AtGate {
 public:
  AtGate(Pool& pool, const ListenSocket& listen_socket)
      : pool_(pool),
        socket_(listen_socket),
        movements_(pool.record().movements.load(std::memory_order_relaxed)) {
    shm::come_to_gate(pool_.lane().record(), pool_.lane().view(), pool_.record());
  }
  ~AtGate() {
    if (pool_.lane().still_usable()) shm::leave_gate(pool_.lane().record(), pool_.record());
  }
  AtGate(const AtGate&) = delete;
  AtGate& operator=(const AtGate&) = delete;

  GateEnd wait() {
    Lane& lane = pool_.lane();
    shm::PoolRecord& record = pool_.record();
    for (int slice = 0;; ++slice) {
      const uint32_t turn = record.gate_turn.load(std::memory_order_seq_cst);
      if (shm::has_free_unit(lane.view(), record)) return GateEnd::kUnitFree;
      if (!shm::is_open(record)) return GateEnd::kClosed;
      if (!shm::has_trait(record, shm::kAcceptGate)) return GateEnd::kNotGated;
      if (slice % kSlicesPerDaemonLook == 0 && !lane.process().daemon_lives()) {
        return GateEnd::kNoDaemon;
      }
      const uint32_t wakes = Sleep::wakes();
      const int64_t started_ns = shm::monotonic_ns();
      const bool by_signal = shm::futex_wait(record.gate_turn, turn, kSliceNs);
      if (!socket_.open() || (by_signal && Sleep::wakes() == wakes)) {
        return GateEnd::kToldToStop;
      }
      if (!lane.still_usable()) return GateEnd::kNotGated;
      if (shm::monotonic_ns() - started_ns >= kSliceNs && seems_stuck(turn)) {
        return GateEnd::kNothingMoved;
      }
    }
  }

 private:
  // At the end of a whole slice.
  bool seems_stuck(uint32_t turn) {
    const uint64_t movements = pool_.record().movements.load(std::memory_order_relaxed);
    const bool moved =
        movements != movements_ || pool_.record().gate_turn.load(std::memory_order_relaxed) != turn;
    movements_ = movements;
    still_slices_ = moved || !socket_.readable() ? 0 : still_slices_ + 1;
    return still_slices_ >= kStillSlices;
  }

  Pool& pool_;
  const ListenSocket& socket_;
  uint64_t movements_;
  int still_slices_ = 0;
};

}  // namespace

const char* gate_end_text(GateEnd end) {
  switch (end) {
    case GateEnd::kNotGated:
      return "not_gated";
    case GateEnd::kUnitFree:
      return "unit_free";
    case GateEnd::kNothingMoved:
      return "nothing_moved";
    case GateEnd::kToldToStop:
      return "told_to_stop";
    case GateEnd::kClosed:
      return "closed";
    case GateEnd::kNoDaemon:
      return "no_daemon";
    case GateEnd::kHasVisitor:
      return "has_visitor";
  }
  return "unknown";
}

ListenSocket ListenSocket::find() {
  ListenSocket found;
  ino_t inode = 0;
  for (const int fd : open_descriptors()) {
    if (!is_listening(fd)) continue;
    if (found.count_ == kMostNumbers || (found.count_ > 0 && inode_of(fd) != inode)) return {};
    inode = inode_of(fd);
    found.fds_[found.count_++] = fd;
  }
  return found;
}

ListenSocket ListenSocket::of(int fd) {
  ListenSocket socket;
  socket.fds_[socket.count_++] = fd;
  return socket;
}

bool ListenSocket::open() const {
  for (size_t i = 0; i < count_; ++i) {
    if (!is_listening(fds_[i])) return false;
  }
  return count_ > 0;
}

bool ListenSocket::readable() const {
  pollfd entry{fds_[0], POLLIN, 0};
  return count_ > 0 && poll(&entry, 1, 0) > 0;
}

bool ListenSocket::has_visitor() const {
  sockaddr_storage own{};
  socklen_t own_bytes = sizeof own;
  if (count_ == 0 || getsockname(fds_[0], reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0) {
    return false;
  }
  for (int fd = 0; fd < kMostDescriptors; ++fd) {
    sockaddr_storage name{};
    socklen_t bytes = sizeof name;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes) != 0) continue;
    name = {};
    bytes = sizeof name;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &bytes) == 0 &&
        same_name(name, bytes, own, own_bytes)) {
      return true;
    }
  }
  return false;
}

GateEnd wait_at_gate(Pool& pool, const ListenSocket& listen_socket) {
  if (!shm::has_trait(pool.record(), shm::kAcceptGate) || !listen_socket.open() ||
      !pool.lane().still_usable() || pool.idle_here() > 0 ||
      pool.lane().process().local_host() != nullptr ||
      shm::has_free_unit(pool.lane().view(), pool.record())) {
    return GateEnd::kNotGated;
  }
  // It was accepted a moment ago, before the request began here, or is kept (fastcgi_keep_conn).
  if (listen_socket.has_visitor()) return GateEnd::kHasVisitor;
  return AtGate(pool, listen_socket).wait();
}

}  // namespace oxpool
