// Who may use this daemon, and which namespaces.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.h"
#include "daemon/peer.h"

namespace oxpool::daemon {

// Both answer with nothing when the peer is welcome, else with one sentence for it that names the
// uid and the key that an operator would change. No system calls.

// When access.users and access.groups are both empty: `own_uid`, root, and the members of the
// socket's group. Otherwise exactly those who are named there.
std::optional<std::string> refuse_peer(const Config& config, const Peer& peer, uid_t own_uid,
                                       gid_t socket_gid);

// The default namespace of a uid is open to that uid; every other one to those who are named under
// its [namespaces.NAME]. `name` is a valid name.
std::optional<std::string> refuse_namespace(const Config& config, const Peer& peer,
                                            const std::string& name);

std::string default_namespace(uid_t uid);

}  // namespace oxpool::daemon
