#include "daemon/runtime_dir.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "daemon/config.h"
#include "daemon/event.h"
#include "daemon/refused.h"

namespace oxpool::daemon {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Refused("runtime directory " + path + " " + what);
}

std::string uid_text() { return "uid " + std::to_string(geteuid()); }

std::string parent_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

void require_tmpfs(const std::string& path, const std::string& existing, bool allow_disk) {
  struct statfs status {};
  if (allow_disk || statfs(existing.c_str(), &status) != 0) return;
  const auto kind = static_cast<unsigned long>(status.f_type);
  if (kind == TMPFS_MAGIC || kind == RAMFS_MAGIC) return;
  refuse(path,
         "is not on tmpfs; choose one under /run or /dev/shm with --runtime-dir, or take this one "
         "with --allow-disk");
}

void make_missing(const std::string& path, bool allow_disk) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 || errno != ENOENT) return;
  const std::string parent = parent_of(path);
  require_tmpfs(path, parent, allow_disk);
  // Others must be able to enter: client.sock has permissions of its own.
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return;
  refuse(path, "does not exist and can not be made in " + parent + ": " + std::strerror(errno) +
                   "; create it for " + uid_text() + ", or name another with --runtime-dir");
}

void check_directory(const std::string& path, bool allow_disk) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    refuse(path, "can not be looked at by " + uid_text() + ": " + std::strerror(errno) +
                     "; let that user in with chmod, or name another with --runtime-dir");
  }
  if (!S_ISDIR(status.st_mode)) {
    refuse(path, "is not a directory; remove it, or name another with --runtime-dir");
  }
  require_tmpfs(path, path, allow_disk);
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    refuse(path, "is not writable for " + uid_text() + " (" + std::strerror(errno) +
                     "); chown it to that user, or name another with --runtime-dir");
  }
  if ((status.st_mode & 0022) != 0 && (status.st_mode & S_ISVTX) == 0) {
    log_event(Level::kWarning, "runtime directory open",
              {{"path", path}, {"reason", "others may write in it; chmod go-w"}});
  }
}

void check_socket_path(const std::string& directory, const std::string& socket) {
  constexpr size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket.size() <= kLongest) return;
  refuse(directory, "has a path too long for a socket: " + socket + " has " +
                        std::to_string(socket.size()) + " bytes, and at most " +
                        std::to_string(kLongest) +
                        " are possible; name a shorter one with --runtime-dir");
}

std::string pid_in(int file) {
  char text[16] = {};
  const ssize_t got = pread(file, text, sizeof text - 1, 0);
  const std::string pid(text, got > 0 ? strspn(text, "0123456789") : 0);
  return pid.empty() ? "unknown" : pid;
}

UniqueFd claim(const std::string& directory) {
  const std::string path = directory + "/daemon.lock";
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) {
    refuse(directory, "can not be claimed: " + path + ": " + std::strerror(errno) +
                          "; give the file to " + uid_text() +
                          ", or name another directory with --runtime-dir");
  }
  // Whoever may open it for reading may lock it, too, and keep the next daemon out.
  fchmod(file.get(), 0600);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    refuse(directory, "is served by another oxpoold already, pid " + pid_in(file.get()) +
                          "; stop that one first, or name another directory with --runtime-dir");
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(file.get(), 0) != 0 ||
      pwrite(file.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    // Only the sentence of a second daemon would have wanted the pid.
  }
  return file;
}

// A folder that only this user may enter, so that nobody else puts files there to be adopted.
void make_private_folder(const std::string& directory, const std::string& path) {
  struct stat status {};
  const bool made = mkdir(path.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) {
    refuse(directory, "has no room for a folder: " + path + ": " + std::strerror(errno) +
                          "; make room there, or name another with --runtime-dir");
  }
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) {
    refuse(directory, "has at " + path + " something that is no folder of " + uid_text() +
                          "; remove it, or run oxpoold as its owner");
  }
  if ((status.st_mode & 0077) != 0) chmod(path.c_str(), 0700);
}

}  // namespace

RuntimeDir::RuntimeDir(std::string path, bool allow_disk) : path_(std::move(path)) {
  check_socket_path(path_, client_socket());
  make_missing(path_, allow_disk);
  check_directory(path_, allow_disk);
  claim_ = claim(path_);
  make_private_folder(path_, segments());
  make_private_folder(path_, locks());
}

std::vector<std::string> RuntimeDir::namespaces() const {
  std::set<std::string> names;
  for (const std::string& folder : {segments(), locks()}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (is_namespace_name(name)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

void RuntimeDir::require_room(uint64_t bytes) const {
  struct statvfs space {};
  if (statvfs(path_.c_str(), &space) != 0 || space.f_blocks == 0)
    return;  // 0 = a tmpfs without limit
  const uint64_t free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
  if (free_bytes >= bytes) return;
  refuse(path_, "is too full: a segment needs " + std::to_string(bytes) + " bytes and there are " +
                    std::to_string(free_bytes) +
                    " free; enlarge the file system, or lower the table sizes under [limits]");
}

}  // namespace oxpool::daemon
