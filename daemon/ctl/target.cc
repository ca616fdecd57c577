#include "daemon/ctl/target.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

const std::string kUnix = "unix:";
constexpr std::chrono::milliseconds kPause{20};

// What a refusal by the kernel means to people.
Failure socket_failure(const std::string& path, int error) {
  const std::string directory_help = ", or name its directory with --runtime-dir";
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return {"UNAVAILABLE", "oxpoold is not running there: " + quoted(path) +
                                 " does not exist; start it" + directory_help};
    case ECONNREFUSED:
      return {"UNAVAILABLE", "oxpoold is not running: nobody listens on " + quoted(path) +
                                 ", which an earlier one left; start it" + directory_help};
    case EACCES:
    case EPERM: {
      struct stat status {};
      std::string who;
      if (stat(path.c_str(), &status) == 0) {
        const group* of = getgrgid(status.st_gid);
        who = " (it is uid " + std::to_string(status.st_uid) + "'s, group " +
              (of != nullptr ? std::string(of->gr_name) : std::to_string(status.st_gid)) + ")";
      }
      return {"PERMISSION_DENIED",
              "permission denied on " + quoted(path) + " for uid " + std::to_string(geteuid()) +
                  who +
                  "; run this as that user, or let a group in with access.admin_group in "
                  "oxpoold's configuration"};
    }
    default:
      return {"UNAVAILABLE", "oxpoold can not be reached on " + quoted(path) + ": " +
                                 std::strerror(error) + "; check --runtime-dir and --admin"};
  }
}

// The error, 0 = somebody accepted, or will.
int try_to_connect(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return errno;
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  const int error = connect(probe, any, sizeof address) == 0 ? 0 : errno;
  close(probe);
  return error;
}

}  // namespace

bool is_socket(const std::string& target) { return target.compare(0, kUnix.size(), kUnix) == 0; }

Failure look_at_target(const std::string& target, std::chrono::milliseconds timeout) {
  if (!is_socket(target)) return {};
  const std::string path = target.substr(kUnix.size());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return {"INVALID_ARGUMENT", "the socket's path " + quoted(path) + " has " +
                                    std::to_string(path.size()) + " bytes; at most " +
                                    std::to_string(sizeof address.sun_path - 1) +
                                    " are possible; name a shorter one with --admin"};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const int error = try_to_connect(address);
    if (error == 0) return {};
    // Somebody listens, and has not come yet to accept all who connected.
    if (error != EAGAIN) return socket_failure(path, error);
    if (timeout.count() != 0 && std::chrono::steady_clock::now() >= deadline) {
      return {"DEADLINE_EXCEEDED",
              "oxpoold on " + quoted(path) +
                  " accepts nobody, its queue of connections is full; see whether it gets CPU, or "
                  "give it more time with --timeout"};
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace oxpool::ctl
