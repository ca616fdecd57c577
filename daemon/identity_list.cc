#include "daemon/identity_list.h"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <charconv>

namespace oxpool::daemon {

namespace {
std::optional<uint32_t> digits(const std::string& text) {
  uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // The highest number means "no change" to the kernel and is nobody's.
  if (error != std::errc() || stop != end || value == 0xffffffffu) return std::nullopt;
  return value;
}
}  // namespace

bool IdentityList::names_user(uid_t uid) const {
  return std::find(users.begin(), users.end(), uid) != users.end();
}

bool IdentityList::names(const Peer& peer) const {
  if (names_user(peer.uid)) return true;
  if (peer.uid == kOverflowUid) return false;
  return std::any_of(groups.begin(), groups.end(), [&](gid_t gid) { return in_group(peer, gid); });
}

bool in_group(const Peer& peer, gid_t gid) {
  return peer.gid == gid ||
         std::find(peer.groups.begin(), peer.groups.end(), gid) != peer.groups.end();
}

std::optional<uid_t> user_id(const std::string& name) {
  if (auto number = digits(name)) return number;
  const passwd* entry = getpwnam(name.c_str());
  return entry != nullptr ? std::optional(entry->pw_uid) : std::nullopt;
}

std::optional<gid_t> group_id(const std::string& name) {
  if (auto number = digits(name)) return number;
  const group* entry = getgrnam(name.c_str());
  return entry != nullptr ? std::optional(entry->gr_gid) : std::nullopt;
}

}  // namespace oxpool::daemon
