// All namespaces of the daemon.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "daemon/config.h"
#include "daemon/namespace_segment.h"
#include "daemon/runtime_dir.h"
#include "shm/error.h"

namespace oxpool::daemon {

// Removes all segments and lock files of the directory. Throws Refused, and removes nothing, when
// living workers are attached.
void remove_all_segments(const RuntimeDir& directory);

// Has the segments by name, makes them when they are first needed, and keeps an eye on them.
//
// Invariant: there is never a second segment of a name while a worker is attached to the first,
// whatever became of the first one's file.
//
// Thread safety: the daemon's main thread, but for read(), which is for any.
class SegmentStore {
 public:
  // Both must outlive the store; `limits` may change in place.
  SegmentStore(const RuntimeDir& directory, const Limits& limits)
      : directory_(directory), limits_(limits) {}

  // Takes over what an earlier daemon left. Throws Refused for a segment of another layout version,
  // and when nothing was left and there is no room for even one segment. Segments that can not be
  // used otherwise are kept as troubles: one namespace must not stop the others.
  void adopt_all();

  NamespaceSegment* find(const std::string& name);
  NamespaceSegment* find(uint32_t serial);

  // The namespace's sound segment. Errors: kNoRoom (also: too many namespaces), kInUse, kSystem and
  // kNotASegment (it is in trouble).
  shm::Error find_or_make(const std::string& name, NamespaceSegment** result);

  // Looks after all of them. A segment in trouble to which nobody has been attached for two checks
  // is removed, so that its namespace can begin anew.
  void check();

  // One sentence for each segment in trouble.
  std::vector<std::string> troubles() const;

  // Calls visit(name, view) for each mapped segment, from any thread. While it runs no segment is
  // made or removed, so it is not for long. The view is only read.
  template <typename Visit>
  void read(Visit visit) const {
    const std::shared_lock<std::shared_mutex> lock(coming_and_going_);
    for (const auto& [name, entry] : entries_) {
      if (entry.segment != nullptr) visit(name, entry.segment->view());
    }
  }

  // Calls visit(NamespaceSegment&) for each segment, troubled ones too.
  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& [name, entry] : entries_) {
      if (entry.segment != nullptr) visit(*entry.segment);
    }
  }

 private:
  struct Entry {
    std::unique_ptr<NamespaceSegment> segment;  // nullptr: it could not even be mapped
    std::string unusable;                       // why, if so
    bool removable = false;                     // it is worth nothing to anybody
    bool seen_abandoned = false;
  };

  void adopt(const std::string& name);
  uint64_t unused_id_range() const;
  const std::string& trouble_of(const Entry& entry) const;
  std::string sentence_about(const std::string& name, const Entry& entry) const;
  bool is_abandoned(const std::string& name, const Entry& entry) const;

  const RuntimeDir& directory_;
  const Limits& limits_;
  // Held by the main thread while entries come or go, and by others while they read.
  mutable std::shared_mutex coming_and_going_;
  std::map<std::string, Entry> entries_;
  std::map<uint32_t, NamespaceSegment*> by_serial_;
  uint32_t next_serial_ = 1;
};

}  // namespace oxpool::daemon
