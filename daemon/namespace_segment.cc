#include "daemon/namespace_segment.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "daemon/bus_guard.h"
#include "daemon/event.h"
#include "daemon/log.h"
#include "daemon/token_census.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/rest.h"
#include "shm/token.h"

namespace oxpool::daemon {

using shm::Error;
using shm::ErrorCode;

namespace {

// Some seconds apart: time enough for every burial.
constexpr uint32_t kLooksAtDamage = 4;
constexpr const char* kCutShort = "was cut short while in use";

Error system_error(const std::string& path, int error) {
  return Error::make(ErrorCode::kSystem, path + ": " + std::strerror(error));
}

bool file_exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool any_process_recorded(const shm::SegmentView& view) {
  for (uint32_t i = shm::kDaemonProcess + 1; i < view.high_water(shm::kProcessTable); ++i) {
    if (view.process(i)->incarnation.load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

// The name of a segment that is being made; no namespace can have it.
std::string unfinished(const std::string& path) { return path + "~new"; }

Error open_left_segment(const std::string& path, UniqueFd* file) {
  *file = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file->valid() || fstat(file->get(), &status) != 0) return system_error(path, errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    return Error::make(ErrorCode::kSystem,
                       path + ": is no regular file of uid " + std::to_string(geteuid()));
  }
  return Error::ok();
}

// All pages are there, or touching one could be a SIGBUS when the file system is full.
Error reserve(const std::string& path, int file, uint64_t bytes) {
  const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (error == 0) return Error::ok();
  return Error::make(ErrorCode::kNoRoom, path + ": its " + std::to_string(bytes) +
                                             " bytes can not be reserved (" + std::strerror(error) +
                                             ")");
}

// The same for what is read before it is known what the file is. Its size stays as it is.
Error reserve_header(const std::string& path, int file) {
  const auto bytes = static_cast<off_t>(sizeof(shm::SegmentHeader));
  // A file system that can not do this has no holes that fill up either.
  if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0 || errno != ENOSPC) return Error::ok();
  return Error::make(ErrorCode::kNoRoom,
                     path + ": there is no room for its header, which is a hole");
}

}  // namespace

NamespaceSegment::NamespaceSegment(const RuntimeDir& directory, std::string name, uint32_t serial)
    : name_(std::move(name)),
      serial_(serial),
      path_(directory.segment(name_)),
      lock_path_(directory.lock(name_)) {}

Error NamespaceSegment::make(const RuntimeDir& directory, const std::string& name, uint32_t serial,
                             const shm::SegmentSizes& sizes,
                             std::unique_ptr<NamespaceSegment>* result) {
  std::unique_ptr<NamespaceSegment> made(new NamespaceSegment(directory, name, serial));
  if (file_exists(made->path_)) {
    return Error::make(ErrorCode::kInUse, made->path_ + " is there already");
  }
  if (Error error = made->take_own_token()) return error;
  if (made->any_worker_alive()) {
    return Error::make(ErrorCode::kInUse,
                       made->path_ + " was removed while workers are attached to it; end them");
  }
  const std::string path = unfinished(made->path_);
  unlink(path.c_str());
  int file = -1;
  if (Error error = shm::MappedSegment::create(path, name, sizes, &file, &made->mapping_)) {
    return error;
  }
  made->file_ = UniqueFd(file);
  Error error = made->watch_mapping();
  if (!error) made->take_own_place();
  if (!error && rename(path.c_str(), made->path_.c_str()) != 0) {
    error = system_error(made->path_, errno);
  }
  if (error) {
    unlink(path.c_str());
    return error;
  }
  *result = std::move(made);
  return Error::ok();
}

Error NamespaceSegment::adopt(const RuntimeDir& directory, const std::string& name, uint32_t serial,
                              std::unique_ptr<NamespaceSegment>* result) {
  std::unique_ptr<NamespaceSegment> adopted(new NamespaceSegment(directory, name, serial));
  const std::string& path = adopted->path_;
  if (Error error = open_left_segment(path, &adopted->file_)) return error;
  if (Error error = reserve_header(path, adopted->fd())) return error;
  if (Error error = shm::MappedSegment::map_unchecked(adopted->fd(), path, &adopted->mapping_)) {
    return error;
  }
  if (Error error = adopted->watch_mapping()) return error;  // whoever can cut it may be alive
  if (Error error = adopted->mapping_.check(path)) return error;
  const shm::SegmentHeader& header = adopted->view().header();
  if (name != std::string(header.namespace_name,
                          strnlen(header.namespace_name, sizeof header.namespace_name))) {
    return Error::make(ErrorCode::kNotASegment, path + " is the segment of another namespace");
  }
  if (Error error = reserve(path, adopted->fd(), adopted->view().bytes())) return error;
  if (!file_exists(adopted->lock_path_) && any_process_recorded(adopted->view())) {
    return Error::make(ErrorCode::kInUse,
                       path +
                           " has workers attached, and the lock file that tells whether they "
                           "live is gone: " +
                           adopted->lock_path_);
  }
  if (Error error = adopted->take_own_token()) return error;
  adopted->take_own_place();
  if (header.broken.load(std::memory_order_relaxed) != 0) {
    adopted->trouble_ = "was marked as broken by an earlier oxpoold";
  }
  if (BusGuard::was_hit(adopted->guard_)) adopted->trouble_ = kCutShort;
  *result = std::move(adopted);
  return Error::ok();
}

NamespaceSegment::~NamespaceSegment() {
  steward_.reset();
  BusGuard::unwatch(guard_);
}

Error NamespaceSegment::take_own_token() {
  int fd = -1;
  if (Error error = shm::take_token(lock_path_, shm::kDaemonProcess, &fd)) return error;
  token_ = UniqueFd(fd);
  return Error::ok();
}

Error NamespaceSegment::watch_mapping() {
  guard_ = BusGuard::watch(mapping_.base(), mapping_.bytes());
  if (guard_ != BusGuard::kNone) return Error::ok();
  return Error::make(ErrorCode::kSystem, path_ + ": too many segments are mapped");
}

void NamespaceSegment::take_own_place() {
  std::memcpy(header_, &view().header(), sizeof header_);
  steward_.emplace(view(), token_.get(), "oxpoold", shm::monotonic_ns());
}

bool NamespaceSegment::token_held(uint32_t process) const {
  return shm::token_held(token_.get(), process);
}

bool NamespaceSegment::any_worker_alive() const { return daemon::any_worker_alive(token_.get()); }

bool NamespaceSegment::is_current(const ProcessRef& ref) const {
  const shm::ProcessRecord* record = view().process(ref.process);
  return ref.segment == serial_ && ref.incarnation != 0 && record != nullptr &&
         record->incarnation.load(std::memory_order_acquire) == ref.incarnation;
}

Error NamespaceSegment::attach(const Peer& peer, std::string_view program, int64_t now_ns,
                               Attachment* attachment) {
  // Twice at most: records below the hint may be free too, when their token was still held once.
  for (const uint32_t first : {lowest_free_, uint32_t{1}}) {
    for (uint32_t process = first; process < view().count(shm::kProcessTable); ++process) {
      if (view().process(process)->incarnation.load(std::memory_order_acquire) != 0) continue;
      Error error = attach_at(process, peer, program, now_ns, attachment);
      if (error.code == ErrorCode::kInUse) continue;  // its last owner was buried alive
      if (!error) lowest_free_ = process + 1;
      return error;
    }
    if (first == 1) break;
  }
  return Error::make(ErrorCode::kNoRoom,
                     "all " + std::to_string(view().count(shm::kProcessTable) - 1) +
                         " process records of namespace " + quote(name_) +
                         " are taken; raise limits.processes, which counts for new segments");
}

Error NamespaceSegment::attach_at(uint32_t process, const Peer& peer, std::string_view program,
                                  int64_t now_ns, Attachment* attachment) {
  int fd = -1;
  if (Error error = shm::take_token(lock_path_, process, &fd)) return error;
  UniqueFd token(fd);
  if (!is_own_lock_file(token.get())) {
    // A second lock file would give the same byte twice.
    note_trouble("has lost its lock file " + lock_path_ + ", which was replaced");
    return Error::make(ErrorCode::kSystem, path_ + " " + trouble_);
  }
  sound_at_rest_ = false;
  const uint64_t incarnation = shm::publish_process(
      view(), process, static_cast<uint32_t>(peer.pid), peer.uid, program, now_ns);
  attachment->ref = {serial_, process, incarnation};
  attachment->token = std::move(token);
  return Error::ok();
}

void NamespaceSegment::note_free(uint32_t process) {
  if (process != shm::kDaemonProcess && process < lowest_free_) lowest_free_ = process;
}

bool NamespaceSegment::is_own_lock_file(int fd) const {
  struct stat theirs {};
  struct stat ours {};
  return fstat(fd, &theirs) == 0 && fstat(token_.get(), &ours) == 0 &&
         theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

std::string NamespaceSegment::find_trouble() const {
  struct stat status {};
  if (fstat(fd(), &status) == 0) {
    if (static_cast<uint64_t>(status.st_size) < view().bytes()) {
      return "was cut from " + std::to_string(view().bytes()) + " to " +
             std::to_string(status.st_size) + " bytes while in use";
    }
    // Nobody could map it any more.
    if (static_cast<uint64_t>(status.st_size) > view().bytes()) {
      return "was lengthened from " + std::to_string(view().bytes()) + " to " +
             std::to_string(status.st_size) + " bytes while in use";
    }
    if (status.st_nlink == 0) return "was removed while in use";
  }
  const bool as_mapped = header_as_mapped() && steward_->in_place() &&
                         view().header().broken.load(std::memory_order_relaxed) == 0;
  if (BusGuard::was_hit(guard_)) return kCutShort;
  if (!as_mapped) return "was overwritten while in use";
  if (fstat(token_.get(), &status) == 0 && status.st_nlink == 0) {
    return "has lost its lock file " + lock_path_ + ", which was removed";
  }
  return {};
}

bool NamespaceSegment::header_as_mapped() const {
  return std::memcmp(header_, &view().header(), sizeof header_) == 0;
}

void NamespaceSegment::check_at_rest() {
  if (!trouble_.empty() || sound_at_rest_) return;
  const std::string damage = shm::find_damage_at_rest(view(), locks());
  sound_at_rest_ = damage.empty();
  if (sound_at_rest_) looks_at_damage_ = 0;
  if (damage.empty() || ++looks_at_damage_ < kLooksAtDamage) return;
  note_trouble(damage);
}

void NamespaceSegment::check() {
  if (!trouble_.empty()) return;
  const std::string what = find_trouble();
  if (!what.empty()) note_trouble(what);
}

void NamespaceSegment::note_trouble(const std::string& what) {
  trouble_ = what;
  view().header().broken.store(1, std::memory_order_relaxed);
  log_event(Level::kError, "segment broken",
            {{"namespace", name_},
             {"path", path_},
             {"reason", what},
             {"effect", "no new workers until all attached ones have ended"}});
}

}  // namespace oxpool::daemon
