#include "tests/unit/scripted_listener.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "shm/clock.h"
#include "shm/layout.h"

namespace oxpool::test {

ScriptedListener::ScriptedListener(std::function<void(int)> script) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_path().data(), socket_path().size());
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 8) != 0) {
    throw std::runtime_error("cannot listen on " + socket_path());
  }
  thread_ = std::thread([this, script = std::move(script)] {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    script(connection);
    close(connection);
  });
}

ScriptedListener::~ScriptedListener() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

proto::Hello read_hello(int connection) {
  proto::Hello hello{};
  recv(connection, &hello, sizeof hello, MSG_WAITALL);
  return hello;
}

void wait_for_end(int connection) {
  char bytes[256];
  while (recv(connection, bytes, sizeof bytes, 0) > 0) {
  }
}

void send_reply(int connection, const proto::Reply& reply, const std::vector<int>& descriptors,
                size_t bytes) {
  iovec part{const_cast<proto::Reply*>(&reply), bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))]{};
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
  }
  sendmsg(connection, &message, MSG_NOSIGNAL);
}

proto::Reply good_reply() {
  proto::Reply reply{};
  reply.magic = proto::kReplyMagic;
  reply.bytes = sizeof reply;
  reply.abi_major = shm::kAbiMajor;
  reply.abi_minor = shm::kAbiMinor;
  reply.status = proto::ReplyStatus::kOk;
  reply.process = 1;
  reply.process_incarnation = 1;
  reply.monotonic_ns = shm::monotonic_ns();
  return reply;
}

}  // namespace oxpool::test
