#include "client/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shm/clock.h"
#include "shm/layout.h"

namespace oxpool {

namespace {

using proto::Hello;
using proto::Reply;
using proto::ReplyStatus;

std::string socket_path(const std::string& runtime_dir) { return runtime_dir + "/client.sock"; }

// What keeps this user from the socket: the directory or the socket itself.
std::string way_in(const std::string& path) {
  const std::string directory = path.substr(0, path.rfind('/'));
  const std::string user = "uid " + std::to_string(geteuid());
  if (faccessat(AT_FDCWD, directory.c_str(), X_OK, AT_EACCESS) != 0) {
    return user + " may not enter " + directory + ": let it in with chmod or chgrp";
  }
  return user +
         " may not open the socket: set access.socket_group or access.socket_mode in oxpoold.toml";
}

Error system_error(const std::string& path, const std::string& action, int error) {
  std::string text = "oxpoold at " + path + ": " + action + ": " + std::strerror(error);
  if (error == ENOENT || error == ECONNREFUSED) {
    text += "; is oxpoold running, and is this its runtime directory?";
  } else if (error == EACCES || error == EPERM) {
    text += "; " + way_in(path);
  }
  // Whoever may not open the socket has been refused; other errors are this process's own.
  const bool nobody_there = error == ENOENT || error == ECONNREFUSED;
  return Error::make(nobody_there ? Status::kUnreachable : Status::kUnavailable, std::move(text));
}

Error timeout_error(const std::string& path, const std::string& step, int timeout_ms) {
  return Error::make(Status::kUnreachable,
                     "oxpoold at " + path + ": no " + step + " within " +
                         std::to_string(timeout_ms) +
                         " ms; it may be stopped or overloaded (oxpool.connect_timeout_ms)");
}

// Waits until `events` is possible on the socket; false at the deadline.
bool wait_for(int fd, short events, int64_t deadline_ns) {
  for (;;) {
    const int64_t left_ms = (deadline_ns - shm::monotonic_ns()) / shm::kNanosPerMilli;
    if (left_ms <= 0) return false;
    pollfd entry{fd, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(left_ms));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

Error open_socket(const std::string& path, int timeout_ms, int64_t deadline_ns, OwnedFd* session) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error::make(
        Status::kUnavailable,
        "oxpoold at " + path + ": the path is longer than the " +
            std::to_string(sizeof address.sun_path - 1) +
            " bytes that a socket's path may have; choose a shorter runtime directory");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  OwnedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return system_error(path, "socket", errno);
  // A full backlog answers EAGAIN at once: ask again until the deadline.
  while (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EAGAIN && errno != EINTR) return system_error(path, "connect", errno);
    if (shm::monotonic_ns() >= deadline_ns) return timeout_error(path, "connection", timeout_ms);
    poll(nullptr, 0, 1);
  }
  *session = std::move(fd);
  return Error::ok();
}

Error send_hello(int fd, const std::string& path, const Hello& hello) {
  const ssize_t sent = send(fd, &hello, sizeof hello, MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(sizeof hello)) return Error::ok();
  // A fresh socket's buffer takes far more than a hello.
  return system_error(path, "send", sent < 0 ? errno : EPIPE);
}

// Puts the descriptors of one message into segment and token; closes what is too much.
void take_descriptors(msghdr& message, Handshake* result) {
  OwnedFd* const places[] = {&result->segment, &result->token};
  size_t taken = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      OwnedFd owned(fd);
      if (taken < 2 && !places[taken]->valid()) *places[taken++] = std::move(owned);
    }
  }
}

Error receive_reply(int fd, const std::string& path, int timeout_ms, int64_t deadline_ns,
                    Handshake* result) {
  auto* const bytes = reinterpret_cast<char*>(&result->reply);
  size_t have = 0;
  while (have < sizeof(Reply)) {
    if (!wait_for(fd, POLLIN, deadline_ns)) return timeout_error(path, "answer", timeout_ms);
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
    iovec part{bytes + have, sizeof(Reply) - have};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0) {
      if (errno == EAGAIN || errno == EINTR) continue;
      return system_error(path, "receive", errno);
    }
    take_descriptors(message, result);
    if (got == 0) {
      return Error::make(Status::kProtocol, "oxpoold at " + path + ": hung up after " +
                                                std::to_string(have) + " of " +
                                                std::to_string(sizeof(Reply)) +
                                                " bytes of its answer; look into its log");
    }
    have += static_cast<size_t>(got);
    // Another program's bytes are told by the first field; no use in waiting for the rest.
    if (have >= sizeof(uint32_t) && result->reply.magic != proto::kReplyMagic) {
      return Error::make(
          Status::kProtocol,
          "oxpoold at " + path + ": what answers is not oxpoold; check the runtime directory");
    }
    // A neighbouring version may send another size: its refusal is in the fields that never move.
    constexpr size_t kStable = offsetof(Reply, status) + sizeof(ReplyStatus);
    if (have >= kStable && result->reply.abi_major != shm::kAbiMajor) return Error::ok();
  }
  return Error::ok();
}

Status status_of(ReplyStatus status) {
  switch (status) {
    case ReplyStatus::kOk:
      return Status::kOk;
    case ReplyStatus::kRefused:
    case ReplyStatus::kNamespace:
      return Status::kRefused;
    case ReplyStatus::kAbi:
      return Status::kAbi;
    case ReplyStatus::kBadRequest:
      return Status::kProtocol;
    case ReplyStatus::kFull:
      return Status::kCapacity;
    case ReplyStatus::kReattach:
      return Status::kFenced;
    case ReplyStatus::kUnavailable:
      return Status::kUnavailable;
  }
  return Status::kProtocol;
}

Error check_reply(const std::string& path, const Reply& reply) {
  if (reply.abi_major != shm::kAbiMajor) {
    return Error::make(Status::kAbi, "oxpoold at " + path + " has layout version " +
                                         std::to_string(reply.abi_major) + ", this client has " +
                                         std::to_string(shm::kAbiMajor) +
                                         "; install the same version of both");
  }
  const Status status = status_of(reply.status);
  if (status == Status::kOk) return Error::ok();
  const std::string message(reply.message, strnlen(reply.message, sizeof reply.message));
  return Error::make(status, "oxpoold at " + path + ": " +
                                 (message.empty() ? "refused without a reason" : message));
}

// The same clock on both sides unless the peer lives in another time namespace: its stamp lies
// between ours before and after.
int64_t clock_offset(int64_t before_ns, int64_t daemon_ns, int64_t after_ns) {
  if (daemon_ns >= before_ns && daemon_ns <= after_ns) return 0;
  return daemon_ns - (before_ns + (after_ns - before_ns) / 2);
}

}  // namespace

void OwnedFd::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

bool session_has_ended(int session) {
  pollfd entry{session, POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0;
}

void drain_session(int session) {
  char bytes[64];
  while (recv(session, bytes, sizeof bytes, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof bytes)) {
  }
}

Error knock(const std::string& runtime_dir, int timeout_ms) {
  OwnedFd socket;
  return open_socket(socket_path(runtime_dir), timeout_ms,
                     shm::deadline_after(shm::monotonic_ns(), timeout_ms * shm::kNanosPerMilli),
                     &socket);
}

Error shake_hands(const std::string& runtime_dir, Hello hello, int timeout_ms, Handshake* result) {
  const std::string path = socket_path(runtime_dir);
  const int64_t started_ns = shm::monotonic_ns();
  const int64_t deadline_ns = shm::deadline_after(started_ns, timeout_ms * shm::kNanosPerMilli);
  Handshake shake;
  if (Error error = open_socket(path, timeout_ms, deadline_ns, &shake.session)) return error;

  hello.magic = proto::kHelloMagic;
  hello.bytes = sizeof hello;
  hello.abi_major = shm::kAbiMajor;
  hello.abi_minor = shm::kAbiMinor;
  const int64_t before_ns = shm::monotonic_ns();
  hello.monotonic_ns = before_ns;
  if (Error error = send_hello(shake.session.get(), path, hello)) return error;
  if (Error error = receive_reply(shake.session.get(), path, timeout_ms, deadline_ns, &shake)) {
    return error;
  }
  if (Error error = check_reply(path, shake.reply)) return error;
  if (hello.kind == proto::HelloKind::kAttach && (!shake.segment.valid() || !shake.token.valid())) {
    return Error::make(Status::kProtocol,
                       "oxpoold at " + path +
                           ": its answer came without the segment and the token; is this process "
                           "out of file descriptors?");
  }
  shake.clock_offset_ns = clock_offset(before_ns, shake.reply.monotonic_ns, shm::monotonic_ns());
  *result = std::move(shake);
  return Error::ok();
}

}  // namespace oxpool
