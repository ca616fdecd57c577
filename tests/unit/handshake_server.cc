#include "tests/unit/handshake_server.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <mutex>
#include <stdexcept>

#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/token.h"

namespace oxpool::test {

namespace {

// Held by the server's thread while it works, and by whoever forks: a child that is made amid an
// allocation of that thread finds a lock of the sanitizers' allocator held for ever. (Seen: 12
// children that spun in it until the test's time was over.)
std::mutex working;

void keep_forks_out() {
  static const int registered =
      pthread_atfork([] { working.lock(); }, [] { working.unlock(); }, [] { working.unlock(); });
  if (registered != 0) throw std::runtime_error("pthread_atfork");
}

}  // namespace

HandshakeServer::HandshakeServer(const shm::SegmentSizes& sizes) {
  if (shm::Error error = shm::MappedSegment::create(directory_.file("segment"), "test", sizes,
                                                    &segment_fd_, &segment_)) {
    throw std::runtime_error(error.message);
  }
  start();
}

HandshakeServer::~HandshakeServer() {
  stop();
  close(segment_fd_);
}

void HandshakeServer::start() {
  if (pipe(stop_pipe_) != 0) throw std::runtime_error("pipe");
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = directory_.file("client.sock");
  std::memcpy(address.sun_path, path.data(), path.size());
  unlink(path.c_str());
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 64) != 0) {
    throw std::runtime_error("cannot listen on " + path);
  }
  keep_forks_out();
  std::promise<void> promise;
  const std::future<void> running = promise.get_future();
  thread_ = std::thread([this, promise = std::move(promise)]() mutable {
    {
      const std::lock_guard lock(working);
      promise.set_value();
    }
    serve();
  });
  running.wait();
}

void HandshakeServer::stop() {
  if (!thread_.joinable()) return;
  close(stop_pipe_[1]);
  thread_.join();
  close(stop_pipe_[0]);
  close(listener_);
  for (const int session : sessions_) close(session);
  sessions_.clear();
}

void HandshakeServer::refuse(proto::ReplyStatus status, const std::string& message) {
  message_ = message;
  status_ = status;
}

void HandshakeServer::serve() {
  for (;;) {
    pollfd entries[] = {{listener_, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    poll(entries, 2, -1);
    if (entries[1].revents != 0) return;
    const int session = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (session >= 0) answer(session);
  }
}

// The first record that is free and whose byte nobody alive has.
uint32_t HandshakeServer::free_process(int* token) {
  for (uint32_t i = 1; i < view().count(shm::kProcessTable); ++i) {
    if (view().process(i)->incarnation != 0) continue;
    if (!shm::take_token(lock_path(), i, token)) return i;
  }
  throw std::runtime_error("no free process record");
}

void HandshakeServer::close_ended_sessions() {
  std::erase_if(sessions_, [](int session) {
    pollfd entry{session, POLLRDHUP, 0};
    if (poll(&entry, 1, 0) == 0) return false;
    close(session);
    return true;
  });
}

void HandshakeServer::wake_all() {
  const std::lock_guard lock(working);
  for (const int session : sessions_) send(session, &proto::kWake, 1, MSG_NOSIGNAL);
}

proto::Reply HandshakeServer::reply_to(const proto::Hello& hello, int* token) {
  proto::Reply reply{};
  reply.magic = proto::kReplyMagic;
  reply.bytes = sizeof reply;
  reply.abi_major = shm::kAbiMajor;
  reply.status = status_;
  std::memcpy(reply.message, message_.data(),
              std::min<size_t>(message_.size(), sizeof reply.message - 1));
  std::memcpy(reply.segment_identity, view().header().identity, sizeof reply.segment_identity);
  std::memcpy(reply.namespace_name, "test", 5);
  if (reply.status == proto::ReplyStatus::kOk && hello.kind == proto::HelloKind::kAttach) {
    reply.process = free_process(token);
    reply.process_incarnation =
        shm::publish_process(view(), reply.process, 0, 0, hello.program, shm::monotonic_ns());
  }
  reply.monotonic_ns = shm::monotonic_ns();
  return reply;
}

void HandshakeServer::answer(int session) {
  {
    const std::lock_guard lock(working);
    close_ended_sessions();
    sessions_.push_back(session);
  }
  proto::Hello hello{};
  if (recv(session, &hello, sizeof hello, MSG_WAITALL) != sizeof hello) return;
  const std::lock_guard lock(working);
  int token = -1;
  proto::Reply reply = reply_to(hello, &token);
  iovec part{&reply, sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))]{};
  if (token >= 0) {
    const int descriptors[] = {segment_fd_, token};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  sendmsg(session, &message, MSG_NOSIGNAL);
  if (token >= 0) close(token);
  ++sessions_made_;
}

}  // namespace oxpool::test
