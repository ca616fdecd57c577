#include "daemon/segment_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>

#include "daemon/event.h"
#include "daemon/log.h"
#include "daemon/refused.h"
#include "daemon/token_census.h"

namespace oxpool::daemon {

using shm::Error;
using shm::ErrorCode;

namespace {

// Of pool ids, which are below 2^53: more than a namespace ever uses, and easy to tell apart by
// eye.
constexpr uint64_t kIdsPerNamespace = 10'000'000'000;

bool file_exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

void remove_files(const RuntimeDir& directory, const std::string& name) {
  unlink(directory.segment(name).c_str());
  unlink(directory.lock(name).c_str());
}

// Segments whose making was cut short; nobody ever saw them.
void remove_unfinished(const RuntimeDir& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory.segments(), error)) {
    if (!is_namespace_name(entry.path().filename().string())) unlink(entry.path().c_str());
  }
}

}  // namespace

void remove_all_segments(const RuntimeDir& directory) {
  uint32_t alive = 0;
  std::string where;
  for (const std::string& name : directory.namespaces()) {
    const uint32_t here = count_workers_alive(directory.lock(name));
    if (here == 0) continue;
    alive += here;
    where += (where.empty() ? "" : ", ") + name + ": " + std::to_string(here);
  }
  if (alive != 0) {
    throw Refused("--reset: " + std::to_string(alive) +
                  " living workers are attached to segments in " + directory.segments() + " (" +
                  where + "); end them first, or start without --reset");
  }
  for (const std::string& name : directory.namespaces()) remove_files(directory, name);
  log_event(Level::kWarning, "segments removed",
            {{"path", directory.segments()}, {"reason", "--reset"}});
}

void SegmentStore::adopt_all() {
  const std::unique_lock<std::shared_mutex> lock(coming_and_going_);
  remove_unfinished(directory_);
  for (const std::string& name : directory_.namespaces()) adopt(name);
  if (entries_.empty()) directory_.require_room(limits_.tables.segment_bytes());
}

void SegmentStore::adopt(const std::string& name) {
  const std::string path = directory_.segment(name);
  if (!file_exists(path)) {
    const uint32_t alive = count_workers_alive(directory_.lock(name));
    if (alive == 0) return;  // the next hello makes it
    Entry& entry = entries_[name];
    entry.unusable =
        path + " was removed while " + std::to_string(alive) + " living workers are attached to it";
    entry.removable = true;
    log_event(Level::kError, "segment lost", {{"namespace", name}, {"reason", entry.unusable}});
    return;
  }
  std::unique_ptr<NamespaceSegment> segment;
  const uint32_t serial = next_serial_++;
  const Error error = NamespaceSegment::adopt(directory_, name, serial, &segment);
  if (error.code == ErrorCode::kAbi) {
    throw Refused("segment " + error.message +
                  "; start the oxpoold of that version, or end all workers and start with --reset");
  }
  Entry& entry = entries_[name];
  if (error) {
    entry.unusable = error.message;
    entry.removable = error.code == ErrorCode::kNotASegment;
    log_event(Level::kError, "segment not adopted",
              {{"namespace", name}, {"reason", error.message}});
    return;
  }
  by_serial_[serial] = segment.get();
  entry.segment = std::move(segment);
  if (!entry.segment->trouble().empty()) {
    log_event(Level::kError, "segment broken",
              {{"namespace", name}, {"path", path}, {"reason", entry.segment->trouble()}});
  }
  log_event(Level::kInfo, "segment adopted",
            {{"namespace", name}, {"bytes", entry.segment->view().bytes()}});
}

NamespaceSegment* SegmentStore::find(const std::string& name) {
  const auto entry = entries_.find(name);
  return entry != entries_.end() ? entry->second.segment.get() : nullptr;
}

NamespaceSegment* SegmentStore::find(uint32_t serial) {
  const auto entry = by_serial_.find(serial);
  return entry != by_serial_.end() ? entry->second : nullptr;
}

Error SegmentStore::find_or_make(const std::string& name, NamespaceSegment** result) {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    Entry& entry = found->second;
    if (entry.segment != nullptr) entry.segment->check();
    if (trouble_of(entry).empty()) {
      *result = entry.segment.get();
      return Error::ok();
    }
    return Error::make(ErrorCode::kNotASegment, sentence_about(name, entry));
  }
  if (entries_.size() >= limits_.namespaces) {
    return Error::make(ErrorCode::kNoRoom, "there are " + std::to_string(entries_.size()) +
                                               " namespaces already; raise limits.namespaces");
  }
  std::unique_ptr<NamespaceSegment> segment;
  const uint32_t serial = next_serial_++;
  if (Error error = NamespaceSegment::make(directory_, name, serial, limits_.tables, &segment)) {
    return error;
  }
  segment->view().header().next_pool_id.store(unused_id_range() * kIdsPerNamespace,
                                              std::memory_order_relaxed);
  const std::unique_lock<std::shared_mutex> lock(coming_and_going_);
  *result = segment.get();
  by_serial_[serial] = segment.get();
  entries_[name].segment = std::move(segment);
  log_event(Level::kInfo, "segment made",
            {{"namespace", name}, {"bytes", (*result)->view().bytes()}});
  return Error::ok();
}

// Metrics name pools by their id alone, so no two segments may give the same one.
uint64_t SegmentStore::unused_id_range() const {
  std::set<uint64_t> used;
  for (const auto& [name, entry] : entries_) {
    if (entry.segment == nullptr) continue;
    used.insert(entry.segment->view().header().next_pool_id.load(std::memory_order_relaxed) /
                kIdsPerNamespace);
  }
  uint64_t range = 0;
  while (used.contains(range)) ++range;
  return range;
}

const std::string& SegmentStore::trouble_of(const Entry& entry) const {
  return entry.segment != nullptr ? entry.segment->trouble() : entry.unusable;
}

bool SegmentStore::is_abandoned(const std::string& name, const Entry& entry) const {
  if (entry.segment != nullptr) return !entry.segment->any_worker_alive();
  return entry.removable && !any_worker_alive(directory_.lock(name));
}

void SegmentStore::check() {
  for (auto it = entries_.begin(); it != entries_.end();) {
    auto& [name, entry] = *it;
    if (entry.segment != nullptr) {
      entry.segment->check();
      if (!entry.segment->any_worker_alive()) entry.segment->check_at_rest();
    }
    const bool abandoned = !trouble_of(entry).empty() && is_abandoned(name, entry);
    if (!abandoned || !entry.seen_abandoned) {
      entry.seen_abandoned = abandoned;
      ++it;
      continue;
    }
    log_event(Level::kWarning, "broken segment removed",
              {{"namespace", name}, {"reason", "nobody is attached any more"}});
    if (entry.segment != nullptr) by_serial_.erase(entry.segment->serial());
    remove_files(directory_, name);
    const std::unique_lock<std::shared_mutex> lock(coming_and_going_);
    it = entries_.erase(it);
  }
}

std::vector<std::string> SegmentStore::troubles() const {
  std::vector<std::string> sentences;
  for (const auto& [name, entry] : entries_) {
    if (!trouble_of(entry).empty()) sentences.push_back(sentence_about(name, entry));
  }
  return sentences;
}

std::string SegmentStore::sentence_about(const std::string& name, const Entry& entry) const {
  const bool heals = entry.segment != nullptr || entry.removable;
  return "the segment of namespace " + quote(name) + " can not be used: " + trouble_of(entry) +
         (heals ? "; end its workers, and some seconds later a new one is made"
                : "; end its workers and start oxpoold with --reset");
}

}  // namespace oxpool::daemon
