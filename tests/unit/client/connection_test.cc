// The handshake, and everything that can be wrong with the other side.
#include "client/connection.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "client/hang_up.h"
#include "client/process.h"
#include "shm/layout.h"
#include "tests/unit/child_process.h"
#include "tests/unit/scripted_listener.h"

namespace oxpool::test {
namespace {

using proto::Reply;
using proto::ReplyStatus;

constexpr int kLongMs = 30'000;
constexpr int kShortMs = 150;

Error shake(const std::string& runtime_dir, int timeout_ms = kLongMs, Handshake* result = nullptr) {
  proto::Hello hello{};
  hello.kind = proto::HelloKind::kAttach;
  Handshake ignored;
  return shake_hands(runtime_dir, hello, timeout_ms, result != nullptr ? result : &ignored);
}

bool says(const Error& error, const std::string& part) {
  return error.message.find(part) != std::string::npos;
}

// The error of a handshake whose server does `script` after the hello.
Error shake_with(std::function<void(int)> script, int timeout_ms = kLongMs,
                 Handshake* result = nullptr) {
  ScriptedListener server([script](int connection) {
    read_hello(connection);
    script(connection);
  });
  return shake(server.runtime_dir(), timeout_ms, result);
}

TEST(Connection, MissingSocketNamesPathAndWayOut) {
  TemporaryDirectory directory;
  const Error error = shake(directory.path());
  EXPECT_EQ(Status::kUnreachable, error.status);
  EXPECT_TRUE(says(error, directory.file("client.sock"))) << error.message;
  EXPECT_TRUE(says(error, "No such file")) << error.message;
  EXPECT_TRUE(says(error, "is oxpoold running")) << error.message;
}

TEST(Connection, DeadSocketNamesPathAndWayOut) {
  TemporaryDirectory directory;
  const std::string path = directory.file("client.sock");
  close(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const Error error = shake(directory.path());
  EXPECT_EQ(Status::kUnreachable, error.status);
  EXPECT_TRUE(says(error, path) && says(error, "refused")) << error.message;
  EXPECT_TRUE(says(error, "is oxpoold running")) << error.message;
}

TEST(Connection, ForbiddenSocketNamesUserAndConfigurationKeys) {
  ScriptedListener server([](int) {});
  chmod(server.runtime_dir().c_str(), 0755);
  chmod(server.socket_path().c_str(), 0);
  ChildProcess child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 77;
    const Error error = shake(server.runtime_dir());
    if (error.status != Status::kUnavailable) return 1;
    if (!says(error, server.socket_path()) || !says(error, "Permission denied")) return 2;
    if (!says(error, "uid " + std::to_string(geteuid()))) return 3;
    return says(error, "access.socket_group") ? 0 : 4;
  });
  EXPECT_EQ(0, child.wait());
}

TEST(Connection, ForbiddenDirectoryIsNamed) {
  ScriptedListener server([](int) {});
  chmod(server.socket_path().c_str(), 0777);
  chmod(server.runtime_dir().c_str(), 0);
  ChildProcess child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 77;
    const Error error = shake(server.runtime_dir());
    if (error.status != Status::kUnavailable) return 1;
    return says(error, "may not enter " + server.runtime_dir() + ":") ? 0 : 2;
  });
  EXPECT_EQ(0, child.wait());
  chmod(server.runtime_dir().c_str(), 0700);
}

TEST(Connection, TooLongPathIsSaid) {
  const std::string directory = "/dev/shm/" + std::string(100, 'd');
  const Error error = shake(directory);
  EXPECT_EQ(Status::kUnavailable, error.status);
  EXPECT_TRUE(says(error, directory) && says(error, "107")) << error.message;
}

TEST(Connection, ServerThatSaysNothingIsGivenUp) {
  const Error error = shake_with(wait_for_end, kShortMs);
  EXPECT_EQ(Status::kUnreachable, error.status);
  EXPECT_TRUE(says(error, "no answer within 150 ms")) << error.message;
  EXPECT_TRUE(says(error, "connect_timeout_ms")) << error.message;
}

TEST(Connection, ServerThatDoesNotAcceptIsGivenUp) {
  TemporaryDirectory directory;
  const std::string path = directory.file("client.sock");
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(0, bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address));
  ASSERT_EQ(0, listen(listener, 0));
  std::vector<OwnedFd> queue;  // until the backlog is full
  for (;;) {
    OwnedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) break;
    queue.push_back(std::move(fd));
    ASSERT_LT(queue.size(), 100u);
  }
  const Error error = shake(directory.path(), kShortMs);
  EXPECT_EQ(Status::kUnreachable, error.status);
  EXPECT_TRUE(says(error, "no connection within 150 ms")) << error.message;
  close(listener);
}

TEST(Connection, HalfAnAnswerIsGivenUp) {
  for (const size_t bytes : {1u, 3u, 100u, 631u}) {
    const Error error = shake_with(
        [bytes](int connection) {
          send_reply(connection, good_reply(), {}, bytes);
          wait_for_end(connection);
        },
        kShortMs);
    EXPECT_EQ(Status::kUnreachable, error.status) << bytes;
    EXPECT_TRUE(says(error, "no answer within")) << error.message;
  }
}

TEST(Connection, AnswerThatIsCutOffSaysHowMuchCame) {
  const Error error =
      shake_with([](int connection) { send_reply(connection, good_reply(), {}, 100); });
  EXPECT_EQ(Status::kProtocol, error.status);
  EXPECT_TRUE(says(error, "after 100 of 632 bytes")) << error.message;
  EXPECT_EQ(Status::kProtocol, shake_with([](int) {}).status);
}

TEST(Connection, TricklingAnswerIsBoundByTheWholeTime) {
  std::atomic<bool> done{false};
  const Error error = shake_with(
      [&](int connection) {
        const Reply reply = good_reply();
        const char* bytes = reinterpret_cast<const char*>(&reply);
        for (size_t i = 0; i + 1 < sizeof reply && !done; ++i) {
          if (send(connection, bytes + i, 1, MSG_NOSIGNAL) != 1) return;
          usleep(40'000);
        }
      },
      kShortMs);
  EXPECT_EQ(Status::kUnreachable, error.status);
  done = true;
}

TEST(Connection, AnotherProgramIsRecognized) {
  for (const char* text : {"HTTP/1.1 400 Bad Request\r\n\r\n", "+PONG\r\n", "\0\0\0\0\0\0\0"}) {
    const Error error = shake_with([text](int connection) {
      send(connection, text, 7, MSG_NOSIGNAL);
      wait_for_end(connection);  // no use in waiting for the rest
    });
    EXPECT_EQ(Status::kProtocol, error.status);
    EXPECT_TRUE(says(error, "is not oxpoold")) << error.message;
  }
}

TEST(Connection, AnotherLayoutVersionNamesBoth) {
  Reply reply = good_reply();
  reply.abi_major = shm::kAbiMajor + 6;
  for (const size_t bytes : {sizeof reply, size_t{24}}) {  // it may have another size, too
    const Error error = shake_with([&](int connection) {
      send_reply(connection, reply, {}, bytes);
      wait_for_end(connection);
    });
    EXPECT_EQ(Status::kAbi, error.status);
    EXPECT_TRUE(says(error, "version " + std::to_string(shm::kAbiMajor + 6))) << error.message;
    EXPECT_TRUE(says(error, "has " + std::to_string(shm::kAbiMajor) + ";")) << error.message;
  }
}

TEST(Connection, RefusalsPassThroughInTheirOwnWords) {
  const std::pair<ReplyStatus, Status> expected[] = {
      {ReplyStatus::kRefused, Status::kRefused},
      {ReplyStatus::kAbi, Status::kAbi},
      {ReplyStatus::kBadRequest, Status::kProtocol},
      {ReplyStatus::kNamespace, Status::kRefused},
      {ReplyStatus::kFull, Status::kCapacity},
      {ReplyStatus::kReattach, Status::kFenced},
      {ReplyStatus::kUnavailable, Status::kUnavailable},
      {static_cast<ReplyStatus>(99), Status::kProtocol}};
  for (const auto& [sent, status] : expected) {
    Reply reply = good_reply();
    reply.status = sent;
    std::strcpy(reply.message, "uid 1000 is not in access.users");
    const Error error = shake_with([&](int connection) { send_reply(connection, reply); });
    EXPECT_EQ(status, error.status);
    EXPECT_TRUE(says(error, "uid 1000 is not in access.users")) << error.message;
    EXPECT_TRUE(says(error, "client.sock")) << error.message;
  }
}

TEST(Connection, RefusalWithoutWordsOrWithoutEndIsSafe) {
  Reply reply = good_reply();
  reply.status = ReplyStatus::kRefused;
  EXPECT_TRUE(says(shake_with([&](int fd) { send_reply(fd, reply); }), "without a reason"));
  std::memset(reply.message, 'm', sizeof reply.message);
  const Error error = shake_with([&](int fd) { send_reply(fd, reply); });
  EXPECT_TRUE(says(error, std::string(512, 'm'))) << error.message;
  EXPECT_FALSE(says(error, std::string(513, 'm')));
}

TEST(Connection, MissingDescriptorsAreSaid) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (const size_t count : {0u, 1u}) {
    const Error error = shake_with(
        [&](int connection) { send_reply(connection, good_reply(), std::vector<int>(count, fd)); });
    EXPECT_EQ(Status::kProtocol, error.status);
    EXPECT_TRUE(says(error, "without the segment and the token")) << error.message;
  }
  close(fd);
}

TEST(Connection, NoDescriptorIsLeftOpenWhateverCame) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::vector<int> before = open_descriptors();
  Reply refused = good_reply();
  refused.status = ReplyStatus::kRefused;
  for (const Reply& reply : {good_reply(), refused}) {
    for (const size_t count : {1u, 2u, 3u, 8u, 12u}) {
      Handshake result;
      const Error error = shake_with(
          [&](int connection) { send_reply(connection, reply, std::vector<int>(count, fd)); },
          kLongMs, &result);
      const bool accepted = reply.status == ReplyStatus::kOk && count >= 2;
      EXPECT_EQ(accepted, !error) << count;
      EXPECT_EQ(before.size() + (accepted ? 3 : 0), open_descriptors().size()) << count;
    }
  }
  EXPECT_EQ(before, open_descriptors());
  close(fd);
}

TEST(Connection, DescriptorsAreNotInheritedByPrograms) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Handshake result;
  ASSERT_FALSE(shake_with(
      [&](int connection) {
        send_reply(connection, good_reply(), {fd, fd});
      },
      kLongMs, &result));
  for (const int received : {result.session.get(), result.segment.get(), result.token.get()}) {
    EXPECT_NE(0, fcntl(received, F_GETFD) & FD_CLOEXEC);
  }
  close(fd);
}

TEST(Connection, ClockOfAnotherTimeNamespaceIsMeasured) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  constexpr int64_t kHourNs = 3600 * shm::kNanosPerSecond;
  for (const int64_t shift_ns : {int64_t{0}, kHourNs, -kHourNs}) {
    Handshake result;
    ASSERT_FALSE(shake_with(
        [&](int connection) {
          Reply reply = good_reply();
          reply.monotonic_ns += shift_ns;
          send_reply(connection, reply, {fd, fd});
        },
        kLongMs, &result));
    if (shift_ns == 0) {
      EXPECT_EQ(0, result.clock_offset_ns) << "the same clock needs no correction";
    } else {
      EXPECT_NEAR(static_cast<double>(shift_ns), static_cast<double>(result.clock_offset_ns),
                  static_cast<double>(kLongMs) * 1e6);
    }
  }
  close(fd);
}

}  // namespace
}  // namespace oxpool::test
