// The segment of a process that has no daemon, shared with the processes it forks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/connection.h"
#include "client/status.h"
#include "shm/error.h"
#include "shm/owner_id.h"
#include "shm/segment.h"

namespace oxpool {

// A process's place in the segment.
struct LocalPlace {
  OwnedFd token;
  uint32_t process = 0;
  uint64_t incarnation = 0;
};

// At most one per process, whatever the namespace. Neither the segment nor the lock file has a
// name, so nobody else can reach them: a forked child inherits both and attaches as a process of
// its own. Signs of life are tokens on a lock file, as with a daemon.
//
// Invariants:
//  1. The mapping stands as long as the object lives, and in a forked child too.
//  2. Its descriptor of the lock file never holds a token: parent and child share it.
//  3. Only who has byte 0 of the lock file buries (shm::Steward).
//
// Thread safety: any thread.
class LocalHost {
 public:
  // The one of this process, made by it or inherited; null while there is none.
  static std::shared_ptr<LocalHost> existing();
  // The same, made now when there is none. `reason` says why a daemon is done without.
  static Error find_or_make(const std::string& reason, std::shared_ptr<LocalHost>* host);

  // Gives this process a record and its token. kCapacity when as many live already as it has
  // records, kUnavailable when the token can not be made.
  Error attach(const std::string& program, LocalPlace* place);

  // Lives that are over while something still names them. One system call for each process.
  std::vector<shm::OwnerId> dead_lives() const;
  // Buries those of `lives` that are over, unless somebody else is burying at this moment.
  void bury(const std::vector<shm::OwnerId>& lives);

  const shm::SegmentView& view() const { return segment_.view(); }
  const std::string& reason() const { return reason_; }

 private:
  LocalHost() = default;
  Error make_lock_file();
  shm::Error claim(const std::string& program, LocalPlace* place);
  bool is_over(shm::OwnerId life) const;

  shm::MappedSegment segment_;
  OwnedFd lock_file_;
  std::string lock_path_;  // opens the lock file anew
  std::string reason_;
};

}  // namespace oxpool
