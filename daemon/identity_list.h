// Users and groups that a part of the configuration names.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/peer.h"

namespace oxpool::daemon {

struct IdentityList {
  std::vector<uid_t> users;
  std::vector<gid_t> groups;

  bool empty() const { return users.empty() && groups.empty(); }
  bool names_user(uid_t uid) const;
  // Whether the peer is one of the users or in one of the groups. The overflow uid stands for
  // everybody whom this user namespace can not name, so it must be named itself: being in a group
  // is not enough.
  bool names(const Peer& peer) const;
};

bool in_group(const Peer& peer, gid_t gid);

// A name, or digits. Nothing when the system knows no such name.
std::optional<uid_t> user_id(const std::string& name);
std::optional<gid_t> group_id(const std::string& name);

}  // namespace oxpool::daemon
