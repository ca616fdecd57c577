#include "tests/hostile/strangers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "shm/clock.h"
#include "shm/layout.h"

namespace oxpool::test {

namespace {

constexpr size_t kOpenAtOnce = 64;
constexpr size_t kHugeBytes = 1 << 20;
constexpr size_t kDescriptors = 100;

void send_bytes(const OwnedFd& fd, const void* bytes, size_t count) {
  // What the daemon does not take is not waited for.
  (void)!send(fd.get(), bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::vector<char> noise(size_t count, Random& random) {
  std::vector<char> bytes(count);
  for (char& byte : bytes) byte = static_cast<char>(random.next() >> 13);
  return bytes;
}

// Descriptors of all kinds, the connection itself among them.
void send_with_descriptors(const OwnedFd& fd, const void* bytes, size_t count) {
  const OwnedFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  int descriptors[kDescriptors];
  std::fill_n(descriptors, kDescriptors, null.get());
  descriptors[0] = fd.get();
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec part{const_cast<void*>(bytes), count};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  (void)!sendmsg(fd.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

OwnedFd Strangers::connect() {
  OwnedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval timeout{10, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
  ++connections_;
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ++not_connected_;
  }
  return fd;
}

proto::Hello Strangers::good_hello(Random& random) const {
  proto::Hello hello{};
  hello.magic = proto::kHelloMagic;
  hello.bytes = sizeof hello;
  hello.abi_major = shm::kAbiMajor;
  hello.abi_minor = shm::kAbiMinor;
  hello.kind = random.one_in(3) ? proto::HelloKind::kResume : proto::HelloKind::kAttach;
  hello.process = static_cast<uint32_t>(random.below(8));
  hello.process_incarnation = random.below(64);
  hello.monotonic_ns = shm::monotonic_ns();
  const std::string name = prefix_ + std::to_string(random.below(6));
  std::strncpy(hello.namespace_name, name.c_str(), sizeof hello.namespace_name - 1);
  std::strcpy(hello.program, "stranger");
  return hello;
}

void Strangers::drop_after(size_t bytes) {
  Random random(bytes);
  const proto::Hello hello = good_hello(random);
  const OwnedFd fd = connect();
  send_bytes(fd, &hello, std::min(bytes, sizeof hello));
}

void Strangers::come(Random& random) {
  proto::Hello hello = good_hello(random);
  auto* bytes = reinterpret_cast<unsigned char*>(&hello);
  OwnedFd fd = connect();
  switch (random.below(8)) {
    case 0: {
      const auto garbage = noise(random.below(4096), random);
      send_bytes(fd, garbage.data(), garbage.size());
      break;
    }
    case 1: {
      const std::vector<char> garbage = noise(kHugeBytes, random);
      send_bytes(fd, &hello, sizeof hello);
      send_bytes(fd, garbage.data(), garbage.size());
      break;
    }
    case 2:
      send_bytes(fd, &hello, random.below(sizeof hello));
      break;
    case 3:
      for (uint64_t i = random.below(8) + 1; i > 0; --i) {
        bytes[random.below(sizeof hello)] = static_cast<unsigned char>(random.next());
      }
      send_bytes(fd, &hello, sizeof hello);
      break;
    case 4:
      send_with_descriptors(fd, &hello, sizeof hello);
      break;
    case 5: {  // byte by byte
      for (size_t i = 0; i < sizeof hello; ++i) send_bytes(fd, bytes + i, 1);
      break;
    }
    case 6:
      send_bytes(fd, &hello, sizeof hello);
      shutdown(fd.get(), random.one_in(2) ? SHUT_WR : SHUT_RDWR);
      break;
    default:
      send_bytes(fd, &hello, sizeof hello);
      break;
  }
  if (random.one_in(2)) open_.push_back(std::move(fd));
  if (open_.size() > kOpenAtOnce) open_.pop_front();
}

}  // namespace oxpool::test
