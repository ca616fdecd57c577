#include "daemon/token_census.h"

#include <fcntl.h>

#include <cerrno>

#include "daemon/unique_fd.h"
#include "shm/layout.h"
#include "shm/token.h"

namespace oxpool::daemon {

namespace {
UniqueFd open_lock_file(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
}
}  // namespace

bool any_worker_alive(int probe_fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shm::kDaemonProcess + 1;
  lock.l_len = 0;  // to the end of everything
  if (fcntl(probe_fd, F_OFD_GETLK, &lock) != 0) return true;
  return lock.l_type != F_UNLCK;
}

bool any_worker_alive(const std::string& lock_path) {
  const UniqueFd file = open_lock_file(lock_path);
  return file.valid() ? any_worker_alive(file.get()) : errno != ENOENT;
}

uint32_t count_workers_alive(const std::string& lock_path) {
  const UniqueFd file = open_lock_file(lock_path);
  if (!file.valid()) return errno == ENOENT ? 0 : 1;
  if (!any_worker_alive(file.get())) return 0;
  uint32_t alive = 0;
  for (uint32_t process = shm::kDaemonProcess + 1; process < shm::kMaxLanes; ++process) {
    if (shm::token_held(file.get(), process)) ++alive;
  }
  return alive;
}

}  // namespace oxpool::daemon
