// One namespace as the daemon has it: the mapped segment, the lock file, and the daemon's own
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/peer.h"
#include "daemon/runtime_dir.h"
#include "daemon/unique_fd.h"
#include "shm/error.h"
#include "shm/segment.h"
#include "shm/steward.h"

namespace oxpool::daemon {

// Names one life of one worker process. Stays meaningful after its end: nobody else is ever meant.
struct ProcessRef {
  uint32_t segment = 0;  // NamespaceSegment::serial
  uint32_t process = 0;  // record and token byte
  uint64_t incarnation = 0;
};

// A worker that was just attached. `token` is sent to it; only its copy may stay open.
struct Attachment {
  ProcessRef ref;
  UniqueFd token;
};

// Invariants:
//  1. While the object lives it holds the token of process record 0 and lane 0 of the segment.
//  2. A segment that is in trouble gets no new workers, and stays in trouble.
//  3. The mapping is watched by the BusGuard as long as it stands.
//
// Thread safety: none; the daemon's main thread.
class NamespaceSegment {
 public:
  // Makes the segment and its file; nobody sees the file before it is whole. Errors: kNoRoom,
  // kInUse (workers of an earlier segment of this name are alive), kSystem.
  static shm::Error make(const RuntimeDir& directory, const std::string& name, uint32_t serial,
                         const shm::SegmentSizes& sizes, std::unique_ptr<NamespaceSegment>* result);

  // Takes over the segment that an earlier daemon left. Errors: kAbi, kNotASegment, kInUse (its
  // lock file says nothing about those who live), kNoRoom, kSystem.
  static shm::Error adopt(const RuntimeDir& directory, const std::string& name, uint32_t serial,
                          std::unique_ptr<NamespaceSegment>* result);

  // Gives the daemon's own place back and leaves the files and everybody else as they are.
  ~NamespaceSegment();
  NamespaceSegment(const NamespaceSegment&) = delete;
  NamespaceSegment& operator=(const NamespaceSegment&) = delete;

  uint32_t serial() const { return serial_; }
  const std::string& name() const { return name_; }
  const shm::SegmentView& view() const { return mapping_.view(); }
  int fd() const { return file_.get(); }
  // The daemon as it locks in this segment.
  const shm::LockContext& locks() const { return steward_->locks(); }

  bool token_held(uint32_t process) const;
  bool any_worker_alive() const;
  // Whether this is the life that the record now has.
  bool is_current(const ProcessRef& ref) const;

  // Gives the peer a process record and its token. Errors: kNoRoom (all records are taken),
  // kSystem.
  shm::Error attach(const Peer& peer, std::string_view program, int64_t now_ns,
                    Attachment* attachment);
  // The record is free again: a hint for attach.
  void note_free(uint32_t process);

  // Looks whether the files are still whole. Call it now and then, and before attach.
  void check();
  // For a segment that no living worker is attached to: looks whether it is fit for the next ones.
  // Damage that stays over several looks, in which burials have ended, is trouble.
  void check_at_rest();
  // Empty = sound, else what is wrong with it, as the rest of a sentence that begins with its name.
  const std::string& trouble() const { return trouble_; }

 private:
  NamespaceSegment(const RuntimeDir& directory, std::string name, uint32_t serial);
  shm::Error take_own_token();
  shm::Error watch_mapping();
  void take_own_place();
  shm::Error attach_at(uint32_t process, const Peer& peer, std::string_view program, int64_t now_ns,
                       Attachment* attachment);
  bool is_own_lock_file(int fd) const;
  std::string find_trouble() const;
  bool header_as_mapped() const;
  void note_trouble(const std::string& what);

  const std::string name_;
  const uint32_t serial_;
  const std::string path_;
  const std::string lock_path_;
  UniqueFd file_;
  UniqueFd token_;  // byte 0; also what tokens of others are probed through
  shm::MappedSegment mapping_;
  int guard_ = -1;  // BusGuard::kNone
  std::optional<shm::Steward> steward_;
  // The header up to what changes in use, as it was when the segment was mapped.
  char header_[offsetof(shm::SegmentHeader, table_lock)] = {};
  uint32_t lowest_free_ = 1;
  bool sound_at_rest_ = false;  // since the last attach
  uint32_t looks_at_damage_ = 0;
  std::string trouble_;
};

}  // namespace oxpool::daemon
