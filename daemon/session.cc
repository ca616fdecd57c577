#include "daemon/session.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <cstring>

#include "daemon/event.h"
#include "daemon/session_server.h"
#include "shm/clock.h"

namespace oxpool::daemon {

using boost::system::error_code;

struct Session::Greeting {
  explicit Greeting(const Socket::executor_type& executor) : deadline(executor) {}

  proto::Hello hello{};
  boost::asio::steady_timer deadline;
};

Session::Session(SessionServer& server, Socket socket, Peer peer)
    : server_(&server),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      greeting_(std::make_unique<Greeting>(socket_.get_executor())) {
  server_->add(this);
}

Session::~Session() {
  if (server_ != nullptr) server_->remove(this);
}

void Session::start() {
  greeting_->deadline.expires_after(server_->config().limits.handshake_timeout);
  greeting_->deadline.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (error || self == nullptr || self->greeting_ == nullptr) return;
    self->end("no hello in time");
  });
  read_head();
}

void Session::stop() {
  if (greeting_ != nullptr) {
    const auto reply = make_reply(proto::ReplyStatus::kUnavailable,
                                  "oxpoold is stopping; try again once it is back");
    send(reply, -1, -1);
  }
  greeting_.reset();
  server_->remove(this);
  server_ = nullptr;
  error_code ignored;
  socket_.close(ignored);
}

void Session::read_head() {
  auto head = boost::asio::buffer(&greeting_->hello, sizeof(HelloHead));
  boost::asio::async_read(socket_, head,
                          [self = shared_from_this()](const error_code& error, size_t) {
                            if (self->greeting_ == nullptr) return;
                            if (error) return self->end("ended before its hello");
                            HelloHead head;
                            std::memcpy(&head, &self->greeting_->hello, sizeof head);
                            if (auto refusal = self->server_->admission().refuse_head(head))
                              return self->refuse(*refusal);
                            self->read_rest();
                          });
}

void Session::read_rest() {
  auto rest = boost::asio::buffer(reinterpret_cast<char*>(&greeting_->hello) + sizeof(HelloHead),
                                  sizeof(proto::Hello) - sizeof(HelloHead));
  boost::asio::async_read(socket_, rest,
                          [self = shared_from_this()](const error_code& error, size_t) {
                            if (self->greeting_ == nullptr) return;
                            if (error) return self->end("ended within its hello");
                            self->answer();
                          });
}

void Session::answer() {
  if (server_->short_of_descriptors(socket_.native_handle())) {
    return refuse(make_reply(proto::ReplyStatus::kFull,
                             "oxpoold is short of file descriptors; raise its limit "
                             "(LimitNOFILE= of the service, or ulimit -n), two for each worker"));
  }
  const proto::Hello hello = greeting_->hello;
  Answer answer = server_->admission().answer(hello, peer_, server_->sessions_of(peer_.uid),
                                              shm::monotonic_ns());
  if (!answer.process) return refuse(answer.reply);

  process_ = answer.process;
  greeting_.reset();
  peer_.groups = {};
  const bool sent = send(answer.reply, answer.segment_fd, answer.token.get());
  // From here on the worker's copy of the token is the only one, and its life.
  answer.token.reset();
  server_->attached(*process_, hello, peer_, socket_.native_handle());
  if (!sent) return end("did not take its answer");
  wait_for_end();
}

// In one piece or not at all: a fresh socket has room for much more. The two descriptors go along
// when there is a token.
bool Session::send(const proto::Reply& reply, int segment_fd, int token_fd) {
  iovec part{const_cast<proto::Reply*>(&reply), sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const int descriptors[] = {segment_fd, token_fd};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  if (token_fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  return sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(sizeof reply);
}

void Session::refuse(const proto::Reply& reply) {
  send(reply, -1, -1);
  server_->refused(reply, peer_);
  greeting_.reset();
  error_code ignored;
  socket_.close(ignored);
}

void Session::wait_for_end() {
  socket_.async_read_some(boost::asio::buffer(asking_),
                          [self = shared_from_this()](const error_code& error, size_t) {
                            if (error == boost::asio::error::operation_aborted)
                              return;  // the daemon is stopping
                            if (error || self->server_ == nullptr) return self->end("");
                            self->server_->waker().asked(*self->process_, self->uid(), [self] {
                              if (self->process_ && self->server_ != nullptr) self->wait_for_end();
                            });
                          });
}

void Session::end(const char* why) {
  if (*why != '\0') {
    log_event(Level::kDebug, "session ended",
              {{"pid", peer_.pid}, {"uid", peer_.uid}, {"reason", why}});
  }
  greeting_.reset();
  const int socket = socket_.native_handle();
  error_code ignored;
  socket_.close(ignored);
  if (process_ && server_ != nullptr) server_->ended(*process_, socket);
  process_.reset();
}

}  // namespace oxpool::daemon
