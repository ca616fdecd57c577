// Who is at the other end of a connection on client.sock, as the kernel says.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "daemon/unique_fd.h"

namespace oxpool::daemon {

// The uid that the kernel shows for users that this user namespace can not name.
inline constexpr uid_t kOverflowUid = 65534;

struct Peer {
  pid_t pid = 0;  // 0 = lives in a PID namespace that is not visible from here
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary ones
};

// As of the moment of connect(2). Nothing when the kernel does not say.
std::optional<Peer> peer_of(int socket_fd);

// A descriptor that becomes readable when the peer's process has ended, all its files closed.
// Invalid when neither the socket nor the pid gives one.
UniqueFd pidfd_of_peer(int socket_fd, pid_t pid);

// The same by pid alone; 0 and negative ones are nobody.
UniqueFd pidfd_of(pid_t pid);

}  // namespace oxpool::daemon
