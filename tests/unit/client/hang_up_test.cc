// Waiting for the other end to hang up, with real sockets.
#include "client/hang_up.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "shm/clock.h"
#include "tests/unit/wait_until.h"

namespace oxpool::test {
namespace {

using Outcome = HangUp::Outcome;

struct Pair {
  int here = -1;
  int there = -1;
};

Pair unix_pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    throw std::runtime_error("pair");
  return {fds[0], fds[1]};
}

Pair tcp_pair() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  Pair pair;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      listen(listener, 1) == 0 &&
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) == 0) {
    pair.here = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(pair.here, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      pair.there = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    }
  }
  close(listener);
  if (pair.there < 0) throw std::runtime_error("no TCP on the loopback");
  return pair;
}

std::vector<NotedSocket> noted(const std::vector<int>& before) { return sockets_since(before); }

// A connection that appeared while the factory ran.
class HangUpOf : public ::testing::TestWithParam<Pair (*)()> {
 protected:
  HangUpOf() : before_(open_descriptors()), pair_(GetParam()()) {
    for (const NotedSocket& socket : noted(before_)) {
      if (socket.fd == pair_.here) ours_.push_back(socket);
    }
  }
  ~HangUpOf() override {
    if (pair_.here >= 0) close(pair_.here);
    if (pair_.there >= 0) close(pair_.there);
    EXPECT_EQ(before_, open_descriptors()) << "a descriptor was left open";
  }
  void destroy() {
    close(pair_.here);
    pair_.here = -1;
  }
  void hang_up_there() {
    close(pair_.there);
    pair_.there = -1;
  }

  std::vector<int> before_;
  Pair pair_;
  std::vector<NotedSocket> ours_;
};

TEST_P(HangUpOf, IsAwaitedUntilTheOtherEndCloses) {
  ASSERT_EQ(1u, ours_.size());
  HangUp hang_up(ours_);
  destroy();
  std::thread server([&] {
    char byte;
    EXPECT_EQ(0, read(pair_.there, &byte, 1)) << "the server must see the end of the stream";
    usleep(30'000);
    hang_up_there();
  });
  const int64_t before_ns = shm::monotonic_ns();
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(30'000));
  EXPECT_GE(shm::monotonic_ns() - before_ns, 25 * shm::kNanosPerMilli);
  server.join();
}

TEST_P(HangUpOf, IsSeenBehindDataThatNobodyReads) {
  HangUp hang_up(ours_);
  destroy();
  ASSERT_EQ(5, write(pair_.there, "bye!\n", 5));
  hang_up_there();
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(30'000));
}

TEST_P(HangUpOf, PeerThatNeverClosesIsGivenUpAfterTheTime) {
  HangUp hang_up(ours_);
  destroy();
  const int64_t before_ns = shm::monotonic_ns();
  EXPECT_EQ(Outcome::kTimedOut, hang_up.wait(60));
  EXPECT_GE(shm::monotonic_ns() - before_ns, 60 * shm::kNanosPerMilli);
}

TEST_P(HangUpOf, ResourceThatIsStillOpenIsLeftUnharmed) {
  {
    HangUp hang_up(ours_);
    EXPECT_EQ(Outcome::kStillOpen, hang_up.wait(30'000)) << "somebody kept the resource";
  }
  char byte = 0;
  ASSERT_EQ(1, write(pair_.here, "q", 1));
  ASSERT_EQ(1, read(pair_.there, &byte, 1));
  EXPECT_EQ('q', byte);
  ASSERT_EQ(1, write(pair_.there, "a", 1));
  ASSERT_EQ(1, read(pair_.here, &byte, 1));
  EXPECT_EQ('a', byte);
}

TEST_P(HangUpOf, NumberThatBelongsToAnotherSocketByNowIsNotThatSocket) {
  HangUp hang_up(ours_);
  const Pair other = unix_pair();
  ASSERT_EQ(pair_.here, dup2(other.here, pair_.here));  // closed, and the number used again
  hang_up_there();
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(30'000));
  char byte = 0;
  ASSERT_EQ(1, write(pair_.here, "x", 1)) << "the newcomer must not be shut down";
  ASSERT_EQ(1, read(other.there, &byte, 1));
  close(other.here);
  close(other.there);
}

TEST_P(HangUpOf, SocketThatWasGoneBeforeIsNotWaitedFor) {
  const std::vector<NotedSocket> ours = ours_;
  destroy();
  HangUp hang_up(ours);
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(30'000));
}

INSTANTIATE_TEST_SUITE_P(Unix, HangUpOf, ::testing::Values(&unix_pair));
INSTANTIATE_TEST_SUITE_P(Tcp, HangUpOf, ::testing::Values(&tcp_pair));

TEST(HangUpTogether, OneTimeIsSharedByAllSockets) {
  const std::vector<int> before = open_descriptors();
  const Pair a = unix_pair();
  const Pair b = unix_pair();
  std::vector<NotedSocket> ours;
  for (const NotedSocket& socket : sockets_since(before)) {
    if (socket.fd == a.here || socket.fd == b.here) ours.push_back(socket);
  }
  ASSERT_EQ(2u, ours.size());
  HangUp hang_up(ours);
  close(a.here);
  close(b.here);
  close(a.there);
  EXPECT_EQ(Outcome::kTimedOut, hang_up.wait(50)) << "one of two is not enough";
  close(b.there);
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(30'000));
}

TEST(HangUpTogether, NothingToWaitForCostsNothing) {
  HangUp hang_up({});
  EXPECT_EQ(Outcome::kClosed, hang_up.wait(0));
}

TEST(SocketsSince, OnlyConnectedStreamsThatAppeared) {
  const Pair old = unix_pair();
  const std::vector<int> before = open_descriptors();
  int pipes[2];
  ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int unconnected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(0, listen(listening, 1));
  const Pair fresh = tcp_pair();
  std::vector<int> found;
  for (const NotedSocket& socket : sockets_since(before)) found.push_back(socket.fd);
  std::vector<int> expected{fresh.here, fresh.there};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(expected, found);
  for (const int fd : {pipes[0], pipes[1], file, unconnected, datagram, listening, fresh.here,
                       fresh.there, old.here, old.there}) {
    close(fd);
  }
}

TEST(SocketsSince, DescriptorsAreListedInOrderAndWithoutTheListsOwn) {
  const std::vector<int> first = open_descriptors();
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(first, open_descriptors());
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(first.size() + 1, open_descriptors().size());
  close(fd);
}

}  // namespace
}  // namespace oxpool::test
