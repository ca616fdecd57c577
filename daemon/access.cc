#include "daemon/access.h"

#include "daemon/log.h"

namespace oxpool::daemon {

namespace {

bool admitted_by_default(const Peer& peer, uid_t own_uid, gid_t socket_gid) {
  if (peer.uid == kOverflowUid) return false;
  return peer.uid == own_uid || peer.uid == 0 || in_group(peer, socket_gid);
}

std::string who(const Peer& peer) {
  return "uid " + std::to_string(peer.uid) + " (gid " + std::to_string(peer.gid) + ")";
}

std::string and_reload(const Config& config) {
  return " in " + config.file_for_people() + " and reload oxpoold";
}

}  // namespace

std::optional<std::string> refuse_peer(const Config& config, const Peer& peer, uid_t own_uid,
                                       gid_t socket_gid) {
  const bool admitted = config.access.empty() ? admitted_by_default(peer, own_uid, socket_gid)
                                              : config.access.names(peer);
  if (admitted) return std::nullopt;
  if (peer.uid == kOverflowUid) {
    return who(peer) +
           " is not allowed here: it stands for every user whom the daemon's user namespace can "
           "not name; run the worker as a user of its own, or name " +
           std::to_string(kOverflowUid) + " in users under [access]" + and_reload(config);
  }
  return who(peer) +
         " is not allowed here; add it to users, or one of its groups to groups, under [access]" +
         and_reload(config);
}

std::optional<std::string> refuse_namespace(const Config& config, const Peer& peer,
                                            const std::string& name) {
  if (name == default_namespace(peer.uid)) return std::nullopt;
  const auto found = config.namespaces.find(name);
  if (found == config.namespaces.end()) {
    return "namespace " + quote(name) + " is not configured; add [namespaces." + name +
           "] with users that have " + std::to_string(peer.uid) + and_reload(config) +
           ", or set another oxpool.namespace";
  }
  if (found->second.names(peer)) return std::nullopt;
  return "namespace " + quote(name) + " is not open to " + who(peer) +
         "; add it to users, or one of its groups to groups, under [namespaces." + name + "]" +
         and_reload(config);
}

std::string default_namespace(uid_t uid) { return "uid-" + std::to_string(uid); }

}  // namespace oxpool::daemon
