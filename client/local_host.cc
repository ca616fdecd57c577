#include "client/local_host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "client/fork_guard.h"
#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/steward.h"
#include "shm/token.h"

namespace oxpool {

namespace {

// Enough for a script with its children. Only what is used takes memory.
constexpr shm::SegmentSizes kSizes = {.processes = 512,
                                      .lanes = 512,
                                      .extra_tickets = 64,
                                      .pools = 128,
                                      .seats = 1024,
                                      .chunks = 512,
                                      .places = 128,
                                      .mutexes = 128,
                                      .mutex_seats = 1024};

// Who is stopped inside a lock holds up a burial, and not the worker that tries it now and then.
constexpr int64_t kLockPatienceNs = 5 * shm::kNanosPerMilli;

std::mutex g_mutex;
std::shared_ptr<LocalHost> g_host;  // guarded by g_mutex; a forked child has it, too

}  // namespace

std::shared_ptr<LocalHost> LocalHost::existing() {
  const std::lock_guard lock(g_mutex);
  return g_host;
}

Error LocalHost::find_or_make(const std::string& reason, std::shared_ptr<LocalHost>* result) {
  const std::lock_guard lock(g_mutex);
  if (g_host == nullptr) {
    std::shared_ptr<LocalHost> host(new LocalHost);
    if (shm::Error error =
            shm::MappedSegment::create_without_file("local", kSizes, &host->segment_)) {
      return Error::make(Status::kCapacity, error.message);
    }
    if (Error error = host->make_lock_file()) return error;
    host->reason_ = reason;
    g_host = std::move(host);
  }
  *result = g_host;
  return Error::ok();
}

// A token is a lock of an open file description of its own, so the file has to be opened once for
// each; without a name that goes by its descriptor, which forked children inherit.
Error LocalHost::make_lock_file() {
  lock_file_ = OwnedFd(memfd_create("oxpool-locks", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!lock_file_.valid()) {
    return Error::make(Status::kCapacity, std::string("memfd_create: ") + std::strerror(errno));
  }
  // Locks need no bytes to lie on. Nobody puts any there.
  fcntl(lock_file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  lock_path_ = "/proc/self/fd/" + std::to_string(lock_file_.get());
  return Error::ok();
}

Error LocalHost::attach(const std::string& program, LocalPlace* place) {
  shm::Error error = claim(program, place);
  if (error.code == shm::ErrorCode::kNoRoom) {
    const std::vector<shm::OwnerId> dead = dead_lives();
    if (!dead.empty()) {
      poll(nullptr, 0, shm::kSocketsCloseNs / shm::kNanosPerMilli);
      bury(dead);
      error = claim(program, place);
    }
  }
  if (!error) return Error::ok();
  const bool full = error.code == shm::ErrorCode::kNoRoom;
  return Error::make(full ? Status::kCapacity : Status::kUnavailable, std::move(error.message));
}

shm::Error LocalHost::claim(const std::string& program, LocalPlace* place) {
  for (uint32_t i = shm::kDaemonProcess + 1; i < view().count(shm::kProcessTable); ++i) {
    const auto is_free = [&] {
      return view().process(i)->incarnation.load(std::memory_order_acquire) == 0;
    };
    if (!is_free()) continue;
    int fd = -1;
    if (shm::Error error = shm::take_token(lock_path_, i, &fd)) {
      if (error.code == shm::ErrorCode::kInUse) continue;
      return error;
    }
    OwnedFd token(fd);
    if (!is_free()) continue;  // somebody had it meanwhile, and died
    place->process = i;
    place->incarnation = shm::publish_process(view(), i, static_cast<uint32_t>(getpid()), geteuid(),
                                              program, shm::coarse_ns());
    place->token = std::move(token);
    return shm::Error::ok();
  }
  return shm::Error::make(shm::ErrorCode::kNoRoom,
                          "capacity exceeded: a process without oxpoold and its forks can be " +
                              std::to_string(view().count(shm::kProcessTable) - 1) +
                              " processes; run oxpoold for more");
}

bool LocalHost::is_over(shm::OwnerId life) const {
  const shm::ProcessRecord* record = view().process(life.lane());
  return record == nullptr ||
         record->incarnation.load(std::memory_order_acquire) != life.incarnation() ||
         !shm::token_held(lock_file_.get(), life.lane());
}

std::vector<shm::OwnerId> LocalHost::dead_lives() const {
  std::vector<shm::OwnerId> dead;
  for (uint32_t i = shm::kDaemonProcess + 1; i < view().high_water(shm::kProcessTable); ++i) {
    const uint64_t incarnation = view().process(i)->incarnation.load(std::memory_order_acquire);
    if (incarnation == 0 || shm::token_held(lock_file_.get(), i)) continue;
    dead.push_back(shm::OwnerId::make(i, incarnation));
  }
  // A process that ended well has cleared its record, and may have left a lane to burial.
  for (uint32_t i = shm::kDaemonLane + 1; i < view().high_water(shm::kLaneTable); ++i) {
    const shm::OwnerId life{view().lane(i)->claim.load(std::memory_order_acquire)};
    if (!life) continue;
    const shm::ProcessRecord* record = view().process(life.lane());
    const bool gone = record == nullptr ||
                      record->incarnation.load(std::memory_order_acquire) != life.incarnation();
    if (gone && std::find(dead.begin(), dead.end(), life) == dead.end()) dead.push_back(life);
  }
  return dead;
}

void LocalHost::bury(const std::vector<shm::OwnerId>& lives) {
  int fd = -1;
  if (shm::take_token(lock_path_, shm::kDaemonProcess, &fd)) return;
  const OwnedFd token(fd);
  close_in_forked_child(fd);
  {
    const int64_t now_ns = shm::coarse_ns();
    const shm::Steward steward(view(), fd, "steward", now_ns);
    for (const shm::OwnerId life : lives) {
      if (!is_over(life)) continue;
      shm::bury_process(view(), steward.locks(), life.lane(), life.incarnation(), now_ns,
                        kLockPatienceNs);
    }
  }
  forget_in_forked_child(fd);
}

}  // namespace oxpool
