#include "daemon/peer.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

namespace oxpool::daemon {

namespace {

std::optional<std::vector<gid_t>> groups_of(int socket_fd) {
  std::vector<gid_t> groups(32);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int status = getsockopt(socket_fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    const bool too_short = status != 0 && errno == ERANGE;
    if (status != 0 && !too_short) return std::nullopt;
    groups.resize(bytes / sizeof(gid_t));
    if (!too_short) return groups;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Peer> peer_of(int socket_fd) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) {
    return std::nullopt;
  }
  auto groups = groups_of(socket_fd);
  if (!groups) return std::nullopt;
  return Peer{credentials.pid, credentials.uid, credentials.gid, std::move(*groups)};
}

UniqueFd pidfd_of_peer(int socket_fd, pid_t pid) {
  int pidfd = -1;
  socklen_t bytes = sizeof pidfd;
  if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &bytes) == 0) return UniqueFd(pidfd);
  // Older kernels. The pid may have been used again since connect(2); what follows from that is
  // harmless, since nobody is buried whose token is held.
  return pidfd_of(pid);
}

UniqueFd pidfd_of(pid_t pid) {
  if (pid <= 0) return {};
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace oxpool::daemon
