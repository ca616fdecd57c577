#include "shm/token.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace oxpool::shm {

namespace {
struct flock byte_lock(uint32_t process) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = process;
  lock.l_len = 1;
  return lock;
}
}  // namespace

Error take_token(const std::string& lock_path, uint32_t process, int* fd) {
  const int file = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return Error::make(ErrorCode::kSystem, lock_path + ": " + std::strerror(errno));
  }
  struct flock lock = byte_lock(process);
  if (fcntl(file, F_OFD_SETLK, &lock) != 0) {
    const int error = errno;
    close(file);
    const bool taken = error == EAGAIN || error == EACCES;
    return Error::make(taken ? ErrorCode::kInUse : ErrorCode::kSystem,
                       lock_path + ", byte " + std::to_string(process) + ": " +
                           (taken ? "held by a living process" : std::strerror(error)));
  }
  *fd = file;
  return Error::ok();
}

bool token_held(int probe_fd, uint32_t process) {
  struct flock lock = byte_lock(process);
  if (fcntl(probe_fd, F_OFD_GETLK, &lock) != 0) return true;
  return lock.l_type != F_UNLCK;
}

}  // namespace oxpool::shm
