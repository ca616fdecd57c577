// The runtime directory: what must hold for it, and what lies where in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/unique_fd.h"

namespace oxpool::daemon {

//   DIR/daemon.lock      flock'ed by the one daemon of the directory; has its pid
//   DIR/segments/NAME    the segment of a namespace, 0600
//   DIR/locks/NAME       its lock file: byte i is locked while the process of record i lives
//   DIR/client.sock      where workers say hello
//   DIR/admin.sock       where oxpoolctl asks
//
// The two folders are open to the daemon's user only: workers reach files in them through passed
// descriptors.
class RuntimeDir {
 public:
  // Makes the directory if only its last part is missing, checks it, and claims it until the object
  // ends. Throws Refused when it is missing, no directory, not writable, not on tmpfs (unless
  // `allow_disk`), has a path too long for a socket, or belongs to another daemon. A directory that
  // is refused is left as it was.
  RuntimeDir(std::string path, bool allow_disk);

  const std::string& path() const { return path_; }
  std::string segments() const { return path_ + "/segments"; }
  std::string segment(const std::string& name) const { return segments() + "/" + name; }
  std::string locks() const { return path_ + "/locks"; }
  std::string lock(const std::string& name) const { return locks() + "/" + name; }
  std::string client_socket() const { return path_ + "/client.sock"; }
  std::string admin_socket() const { return path_ + "/admin.sock"; }

  // Names of the namespaces that have a file in segments() or locks(), sorted.
  std::vector<std::string> namespaces() const;

  // Throws Refused when the file system has less room than `bytes`.
  void require_room(uint64_t bytes) const;

 private:
  std::string path_;
  UniqueFd claim_;
};

}  // namespace oxpool::daemon
