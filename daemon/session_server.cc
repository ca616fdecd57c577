#include "daemon/session_server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "daemon/event.h"
#include "daemon/refused.h"
#include "daemon/unique_fd.h"
#include "shm/clock.h"

namespace oxpool::daemon {

using boost::system::error_code;

namespace {

constexpr auto kPauseAfterFailedAccept = std::chrono::milliseconds(100);
// Sessions beyond a uid's limit that still get a sentence; more are dropped without one.
constexpr uint32_t kToldBeyondLimit = 16;
// Descriptors that sessions leave to the rest of the daemon, and to saying why there are no more.
constexpr rlim_t kSpareDescriptors = 32;

[[noreturn]] void refuse_socket(const std::string& path, const std::string& action, int error) {
  throw Refused("socket " + path + " can not be opened: " + action + ": " + std::strerror(error) +
                "; check the directory's permissions and access.socket_group");
}

// Bound, with its final permissions, before anybody can connect: nobody listens on it yet.
UniqueFd open_socket(const std::string& path, mode_t mode, std::optional<gid_t> group) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) refuse_socket(path, "socket", errno);
  unlink(path.c_str());
  const mode_t before = umask(0777);
  const int status = bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(before);
  if (status != 0) refuse_socket(path, "bind", error);
  if (group && lchown(path.c_str(), static_cast<uid_t>(-1), *group) != 0) {
    refuse_socket(path, "chown to group " + std::to_string(*group), errno);
  }
  if (chmod(path.c_str(), mode) != 0) refuse_socket(path, "chmod", errno);
  if (::listen(fd.get(), SOMAXCONN) != 0) refuse_socket(path, "listen", errno);
  return fd;
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) status.st_gid = getegid();
  return status;
}

}  // namespace

SessionServer::SessionServer(boost::asio::io_context& io, const Config& config,
                             Admission& admission, Reaper& reaper, Waker& waker)
    : io_(io),
      config_(config),
      admission_(admission),
      reaper_(reaper),
      waker_(waker),
      acceptor_(io),
      pause_(io),
      arrivals_(io, "workers attached"),
      returns_(io, "workers resumed") {}

SessionServer::~SessionServer() {
  try {
    stop();
  } catch (...) {  // out of memory at the end: the process's end closes what is open
  }
}

void SessionServer::listen(const std::string& path) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) descriptor_limit_ = limit.rlim_cur;
  UniqueFd fd = open_socket(path, config_.socket_mode, config_.socket_group);
  path_ = path;
  const struct stat status = status_of(path);
  inode_ = status.st_ino;
  admission_.set_socket_group(status.st_gid);
  acceptor_.assign(Protocol(), fd.release());
  accept();
}

void SessionServer::stop() {
  error_code ignored;
  pause_.cancel();
  waker_.stop();
  if (acceptor_.is_open()) {
    acceptor_.close(ignored);
    unlink(path_.c_str());
  }
  // Each takes itself out of the set.
  const std::vector<Session*> sessions(sessions_.begin(), sessions_.end());
  for (Session* session : sessions) session->stop();
}

bool SessionServer::reachable() const {
  return acceptor_.is_open() && status_of(path_).st_ino == inode_;
}

void SessionServer::accept() {
  acceptor_.async_accept([this](const error_code& error, Protocol::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later(error.message());
    begin(std::move(socket));
    accept();
  });
}

// Out of descriptors, most likely: the connection stays in the backlog and comes again.
void SessionServer::accept_later(const std::string& reason) {
  const auto decision = repeats_.note("accept", shm::monotonic_ns());
  if (decision.log) {
    log_event(Level::kError, "accept failed",
              {{"reason", reason}, {"held_back", decision.held_back}});
  }
  pause_.expires_after(kPauseAfterFailedAccept);
  pause_.async_wait([this](const error_code& error) {
    if (!error && acceptor_.is_open()) accept();
  });
}

void SessionServer::begin(Protocol::socket socket) {
  auto peer = peer_of(socket.native_handle());
  if (!peer) return;
  if (sessions_of(peer->uid) >= config_.limits.sessions_per_uid + kToldBeyondLimit) return;
  std::make_shared<Session>(*this, std::move(socket), std::move(*peer))->start();
}

void SessionServer::add(Session* session) {
  sessions_.insert(session);
  ++sessions_of_uid_[session->uid()];
}

void SessionServer::remove(Session* session) {
  sessions_.erase(session);
  const auto count = sessions_of_uid_.find(session->uid());
  if (--count->second == 0) sessions_of_uid_.erase(count);
}

uint32_t SessionServer::sessions_of(uid_t uid) const {
  const auto count = sessions_of_uid_.find(uid);
  return count != sessions_of_uid_.end() ? count->second : 0;
}

// The kernel gives the lowest free number, so a high one means that few are left.
bool SessionServer::short_of_descriptors(int socket) const {
  return static_cast<rlim_t>(socket) + kSpareDescriptors >= descriptor_limit_;
}

void SessionServer::attached(const ProcessRef& ref, const proto::Hello& hello, const Peer& peer,
                             int socket) {
  waker_.attached(ref, socket);
  reaper_.watch(ref, pidfd_of_peer(socket, peer.pid));
  const bool resumed = hello.kind == proto::HelloKind::kResume;
  const std::string_view program(hello.program, strnlen(hello.program, sizeof hello.program));
  const std::string name = admission_.namespace_of(ref);
  log_event((resumed ? returns_ : arrivals_).next(name, shm::monotonic_ns()),
            resumed ? "worker resumed" : "worker attached",
            {{"namespace", name},
             {"process", ref.process},
             {"pid", peer.pid},
             {"uid", peer.uid},
             {"program", program}},
            Recent::kLeaveOut);
}

void SessionServer::refused(const proto::Reply& reply, const Peer& peer) {
  const char* status = reply_status_text(reply.status);
  const auto decision =
      repeats_.note(std::string(status) + std::to_string(peer.uid), shm::monotonic_ns());
  if (!decision.log) return;
  log_event(Level::kWarning, "worker refused",
            {Field::word("status", status),
             {"pid", peer.pid},
             {"uid", peer.uid},
             {"reason", reply.message},
             {"held_back", decision.held_back}});
}

}  // namespace oxpool::daemon
