// Any bytes on client.sock, in any pieces: the session's answer is a whole reply or none, and the
// daemon's own state stays sound.
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "daemon/admission.h"
#include "daemon/bus_guard.h"
#include "daemon/reaper.h"
#include "daemon/session_server.h"
#include "daemon/unique_fd.h"
#include "daemon/waker.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace oxpool;
using namespace oxpool::daemon;

// The part of the daemon that listens, in this thread.
class Listener {
 public:
  Listener()
      : path_(fuzz::make_directory()),
        directory_(path_, false),
        segments_(directory_, config_.limits),
        reaper_(io_, segments_),
        admission_(config_, segments_),
        waker_(io_, segments_),
        server_(io_, config_, admission_, reaper_, waker_) {
    spdlog::set_level(spdlog::level::off);
    BusGuard::install();
    config_.namespaces["shop"].users = {geteuid()};
    config_.limits.tables = {.processes = 8,
                             .lanes = 8,
                             .extra_tickets = 2,
                             .pools = 2,
                             .seats = 4,
                             .chunks = 2,
                             .places = 2,
                             .mutexes = 2,
                             .mutex_seats = 2,
                             .value_bytes = 4096};
    config_.limits.namespaces = 4;
    server_.listen(directory_.client_socket());
  }
  ~Listener() {
    server_.stop();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  UniqueFd connect() {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, directory_.client_socket().c_str());
    FUZZ_CHECK(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    run();
    return fd;
  }
  void run() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  size_t sessions() const { return server_.sessions(); }
  size_t watched() const { return reaper_.watched(); }

 private:
  const std::string path_;
  Config config_;
  boost::asio::io_context io_{1};
  RuntimeDir directory_;
  SegmentStore segments_;
  Reaper reaper_;
  Admission admission_;
  Waker waker_;
  SessionServer server_;
};

// Its descriptors are closed: the worker is dead at once.
constexpr int kMostTurns = 2'000;  // of half a millisecond

void read_answer(const UniqueFd& fd) {
  proto::Reply reply{};
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(fd.get(), &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return;
  FUZZ_CHECK(got == sizeof reply && reply.magic == proto::kReplyMagic);
  FUZZ_CHECK(memchr(reply.message, 0, sizeof reply.message) != nullptr);
  FUZZ_CHECK((reply.status == proto::ReplyStatus::kOk) == (reply.message[0] == '\0'));
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return;
  FUZZ_CHECK(reply.status == proto::ReplyStatus::kOk);
  int descriptors[2];
  FUZZ_CHECK(header->cmsg_len == CMSG_LEN(sizeof descriptors));
  std::memcpy(descriptors, CMSG_DATA(header), sizeof descriptors);
  for (const int descriptor : descriptors) close(descriptor);
}

}  // namespace

// The first byte is where the second piece begins.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Listener listener;
  if (size < 1) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t cut = std::min<size_t>(data[0], bytes.size());
  {
    const UniqueFd fd = listener.connect();
    (void)!send(fd.get(), bytes.data(), cut, MSG_NOSIGNAL);
    listener.run();
    (void)!send(fd.get(), bytes.data() + cut, bytes.size() - cut, MSG_NOSIGNAL);
    listener.run();
    read_answer(fd);
  }
  // What a worker sends after its hello is read a little at a time, so its end is seen after that.
  for (int turn = 0; turn < kMostTurns && listener.sessions() != 0; ++turn) {
    listener.run();
    usleep(500);
  }
  listener.run();
  FUZZ_CHECK(listener.sessions() == 0);
  FUZZ_CHECK(listener.watched() <= 64);
  return 0;
}
