#include "daemon/session_server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <optional>

#include "daemon/access.h"
#include "daemon/bus_guard.h"
#include "daemon/refused.h"
#include "segment_fixture.h"
#include "shm/lane.h"
#include "shm/token.h"

namespace oxpool::daemon {
namespace {

using proto::Hello;
using proto::HelloKind;
using proto::Reply;
using proto::ReplyStatus;

Hello hello_of(HelloKind kind) {
  Hello hello{};
  hello.magic = proto::kHelloMagic;
  hello.bytes = sizeof hello;
  hello.abi_major = shm::kAbiMajor;
  hello.kind = kind;
  std::strcpy(hello.program, "tester");
  return hello;
}

struct Received {
  Reply reply{};
  size_t bytes = 0;
  std::vector<UniqueFd> descriptors;
  std::string message() const { return reply.message; }
};

// The daemon's session server and its clients in one thread: a client that waits lets the server
// run.
class SessionServerTest : public testing::Test {
 protected:
  SessionServerTest()
      : runtime(scratch.path(), false),
        store(runtime, config.limits),
        reaper(io, store),
        admission(config, store),
        waker(io, store),
        server(std::make_unique<SessionServer>(io, config, admission, reaper, waker)) {
    BusGuard::install();
    config.limits.tables = small_limits().tables;
    server->listen(runtime.client_socket());
  }

  UniqueFd connect() {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, runtime.client_socket().c_str());
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  void send_bytes(const UniqueFd& fd, const void* bytes, size_t count) {
    EXPECT_EQ(send(fd.get(), bytes, count, MSG_NOSIGNAL), static_cast<ssize_t>(count));
  }

  void run(int milliseconds) {
    io.restart();
    io.run_for(std::chrono::milliseconds(milliseconds));
  }

  template <typename Condition>
  bool eventually(Condition condition) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition()) {
      if (std::chrono::steady_clock::now() >= give_up) return false;
      run(1);
    }
    return true;
  }

  // One message; bytes 0 = the server has hung up; nothing = it says nothing.
  std::optional<Received> receive(const UniqueFd& fd) {
    Received received;
    iovec part{&received.reply, sizeof received.reply};
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got = -1;
    if (!eventually([&] { return (got = recvmsg(fd.get(), &message, MSG_CMSG_CLOEXEC)) >= 0; })) {
      return std::nullopt;
    }
    received.bytes = static_cast<size_t>(got);
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
      for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
        int descriptor;
        std::memcpy(&descriptor, CMSG_DATA(c) + i * sizeof(int), sizeof descriptor);
        received.descriptors.emplace_back(descriptor);
      }
    }
    return received;
  }

  bool hangs_up(const UniqueFd& fd) {
    const auto received = receive(fd);
    return received && received->bytes == 0;
  }

  Received ask(const UniqueFd& fd, const Hello& hello) {
    send_bytes(fd, &hello, sizeof hello);
    auto received = receive(fd);
    EXPECT_TRUE(received);
    return received ? std::move(*received) : Received{};
  }

  void expect_refused(const Hello& hello, ReplyStatus status,
                      const std::vector<std::string>& sentence_has) {
    const UniqueFd fd = connect();
    const Received answer = ask(fd, hello);
    EXPECT_EQ(answer.reply.status, status) << answer.message();
    EXPECT_TRUE(answer.descriptors.empty()) << "nothing is handed out with a refusal";
    for (const std::string& part : sentence_has) {
      EXPECT_NE(answer.message().find(part), std::string::npos)
          << part << " is not in: " << answer.message();
    }
    EXPECT_TRUE(hangs_up(fd));
  }

  NamespaceSegment& own_segment() { return *store.find(default_namespace(getuid())); }

  ScratchDirectory scratch;
  RuntimeDir runtime;
  Config config;
  boost::asio::io_context io;
  SegmentStore store;
  Reaper reaper;
  Admission admission;
  Waker waker;
  std::unique_ptr<SessionServer> server;
};

TEST_F(SessionServerTest, AnAttachedWorkerGetsTheSegmentAndTheOnlyCopyOfItsToken) {
  const UniqueFd fd = connect();
  Received answer = ask(fd, hello_of(HelloKind::kAttach));
  ASSERT_EQ(answer.reply.status, ReplyStatus::kOk) << answer.message();
  ASSERT_EQ(answer.descriptors.size(), 2u);
  EXPECT_EQ(answer.reply.namespace_name, default_namespace(getuid()));

  shm::MappedSegment mapped;
  ASSERT_FALSE(shm::MappedSegment::map(answer.descriptors[0].get(), "segment", &mapped));
  const shm::ProcessRecord& record = *mapped.view().process(answer.reply.process);
  EXPECT_EQ(record.incarnation.load(), answer.reply.process_incarnation);
  EXPECT_EQ(record.pid.load(), static_cast<uint32_t>(getpid()));
  EXPECT_STREQ(record.program, "tester");
  EXPECT_EQ(mapped.view().header().identity[0], answer.reply.segment_identity[0]);

  EXPECT_TRUE(own_segment().token_held(answer.reply.process));
  answer.descriptors.pop_back();
  EXPECT_FALSE(own_segment().token_held(answer.reply.process)) << "the daemon kept a copy";
}

TEST_F(SessionServerTest, TwoWorkersGetTwoRecords) {
  const UniqueFd one = connect();
  const UniqueFd two = connect();
  const Received first = ask(one, hello_of(HelloKind::kAttach));
  const Received second = ask(two, hello_of(HelloKind::kAttach));
  EXPECT_NE(first.reply.process, second.reply.process);
  EXPECT_GT(second.reply.process_incarnation, first.reply.process_incarnation);
}

TEST_F(SessionServerTest, AHelloInPiecesIsAHello) {
  const UniqueFd fd = connect();
  const Hello hello = hello_of(HelloKind::kAttach);
  const char* bytes = reinterpret_cast<const char*>(&hello);
  for (size_t i = 0; i < sizeof hello; i += 19) {
    send_bytes(fd, bytes + i, std::min<size_t>(19, sizeof hello - i));
    run(1);
  }
  const auto answer = receive(fd);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reply.status, ReplyStatus::kOk);
}

TEST_F(SessionServerTest, WhenTheWorkerEndsItIsBuried) {
  {
    const UniqueFd fd = connect();
    const Received answer = ask(fd, hello_of(HelloKind::kAttach));
    ASSERT_EQ(answer.reply.status, ReplyStatus::kOk);
    EXPECT_EQ(server->sessions(), 1u);
  }
  EXPECT_TRUE(eventually([&] { return own_segment().view().process(1)->incarnation.load() == 0; }));
  EXPECT_TRUE(eventually([&] { return server->sessions() == 0; }));
}

TEST_F(SessionServerTest, AWorkerThatOnlyClosesItsSessionIsNotBuried) {
  UniqueFd fd = connect();
  const Received answer = ask(fd, hello_of(HelloKind::kAttach));
  fd.reset();
  run(400);
  EXPECT_TRUE(eventually([&] { return server->sessions() == 0; }));
  EXPECT_EQ(own_segment().view().process(answer.reply.process)->incarnation.load(),
            answer.reply.process_incarnation);
}

TEST_F(SessionServerTest, BytesAfterTheHelloAreNoReasonToEndTheSession) {
  const UniqueFd fd = connect();
  ASSERT_EQ(ask(fd, hello_of(HelloKind::kAttach)).reply.status, ReplyStatus::kOk);
  send_bytes(fd, "surplus", 7);
  run(20);
  EXPECT_EQ(server->sessions(), 1u);
}

// ---- resuming

class ResumeTest : public SessionServerTest {
 protected:
  ResumeTest() : session(connect()), attached(ask(session, hello_of(HelloKind::kAttach))) {
    resume = hello_of(HelloKind::kResume);
    resume.process = attached.reply.process;
    resume.process_incarnation = attached.reply.process_incarnation;
    std::memcpy(resume.segment_identity, attached.reply.segment_identity,
                sizeof resume.segment_identity);
  }
  ReplyStatus status_of(const Hello& hello) {
    const UniqueFd fd = connect();
    return ask(fd, hello).reply.status;
  }

  UniqueFd session;
  Received attached;
  Hello resume;
};

TEST_F(ResumeTest, AKnownLifeGoesOnWithoutDescriptors) {
  session.reset();
  const UniqueFd fd = connect();
  const Received answer = ask(fd, resume);
  EXPECT_EQ(answer.reply.status, ReplyStatus::kOk) << answer.message();
  EXPECT_TRUE(answer.descriptors.empty());
  EXPECT_EQ(answer.reply.process, attached.reply.process);
  run(300);
  EXPECT_TRUE(own_segment().token_held(attached.reply.process));
  EXPECT_EQ(server->sessions(), 1u);
}

TEST_F(ResumeTest, TheResumedSessionsEndIsAnAlarm) {
  session.reset();
  {
    const UniqueFd fd = connect();
    ASSERT_EQ(ask(fd, resume).reply.status, ReplyStatus::kOk);
    attached.descriptors.clear();
  }
  EXPECT_TRUE(eventually([&] {
    return own_segment().view().process(attached.reply.process)->incarnation.load() == 0;
  }));
}

TEST_F(ResumeTest, AnyOtherLifeMustAttachAnew) {
  Hello other = resume;
  other.process_incarnation += 1;
  EXPECT_EQ(status_of(other), ReplyStatus::kReattach);
  other = resume;
  other.segment_identity[1] ^= 1;
  EXPECT_EQ(status_of(other), ReplyStatus::kReattach);
  other = resume;
  other.process = 0xffffffff;
  EXPECT_EQ(status_of(other), ReplyStatus::kReattach);
  other = resume;
  other.process = 0;
  other.process_incarnation = own_segment().view().process(0)->incarnation.load();
  EXPECT_EQ(status_of(other), ReplyStatus::kReattach) << "nobody is the daemon";
  attached.descriptors.clear();
  EXPECT_EQ(status_of(resume), ReplyStatus::kReattach) << "its token is gone";
}

TEST_F(SessionServerTest, ResumeOfANamespaceThatWasNeverMadeMakesNone) {
  const UniqueFd fd = connect();
  EXPECT_EQ(ask(fd, hello_of(HelloKind::kResume)).reply.status, ReplyStatus::kReattach);
  EXPECT_EQ(store.find(default_namespace(getuid())), nullptr);
}

// ---- bad hellos

TEST_F(SessionServerTest, AnotherVersionIsToldBothVersionsWhateverItsSize) {
  Hello hello = hello_of(HelloKind::kAttach);
  hello.abi_major = 77;
  hello.bytes = 99;
  const UniqueFd fd = connect();
  send_bytes(fd, &hello, sizeof(HelloHead));
  const auto answer = receive(fd);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reply.status, ReplyStatus::kAbi);
  EXPECT_NE(answer->message().find("version 77"), std::string::npos) << answer->message();
  EXPECT_NE(answer->message().find("has " + std::to_string(shm::kAbiMajor)), std::string::npos);
  EXPECT_TRUE(hangs_up(fd));
}

TEST_F(SessionServerTest, WhatIsNoHelloIsRefused) {
  Hello hello = hello_of(HelloKind::kAttach);
  hello.magic = 1;
  expect_refused(hello, ReplyStatus::kBadRequest, {"no hello"});
  hello = hello_of(HelloKind::kAttach);
  hello.bytes = 151;
  expect_refused(hello, ReplyStatus::kBadRequest, {"151"});
  expect_refused(hello_of(static_cast<HelloKind>(9)), ReplyStatus::kBadRequest, {"kind 9"});
  hello = hello_of(HelloKind::kAttach);
  std::memset(hello.namespace_name, 'x', sizeof hello.namespace_name);
  expect_refused(hello, ReplyStatus::kBadRequest, {"oxpool.namespace", "63"});
  std::strcpy(hello.namespace_name, "../evil");
  expect_refused(hello, ReplyStatus::kBadRequest, {"../evil", "oxpool.namespace"});
}

TEST_F(SessionServerTest, SilenceEndsAtTheDeadline) {
  config.limits.handshake_timeout = std::chrono::milliseconds(50);
  const UniqueFd silent = connect();
  const UniqueFd halfway = connect();
  const Hello hello = hello_of(HelloKind::kAttach);
  send_bytes(halfway, &hello, 100);
  EXPECT_TRUE(hangs_up(silent));
  EXPECT_TRUE(hangs_up(halfway));
  EXPECT_TRUE(eventually([&] { return server->sessions() == 0; }));
}

TEST_F(SessionServerTest, TheDeadlineIsOverOnceAttached) {
  config.limits.handshake_timeout = std::chrono::milliseconds(50);
  const UniqueFd fd = connect();
  ASSERT_EQ(ask(fd, hello_of(HelloKind::kAttach)).reply.status, ReplyStatus::kOk);
  run(150);
  EXPECT_EQ(server->sessions(), 1u);
}

// ---- who may

TEST_F(SessionServerTest, APeerWhomTheListsDoNotNameIsRefused) {
  config.access.users = {getuid() + 1};
  config.file = "/my/oxpoold.toml";
  expect_refused(hello_of(HelloKind::kAttach), ReplyStatus::kRefused,
                 {"uid " + std::to_string(getuid()), "users", "/my/oxpoold.toml"});
  EXPECT_EQ(store.find(default_namespace(getuid())), nullptr) << "no segment is made for it";
  config.access.users = {getuid()};
  const UniqueFd fd = connect();
  EXPECT_EQ(ask(fd, hello_of(HelloKind::kAttach)).reply.status, ReplyStatus::kOk);
}

TEST_F(SessionServerTest, ASharedNamespaceMustBeConfiguredForThePeer) {
  Hello hello = hello_of(HelloKind::kAttach);
  std::strcpy(hello.namespace_name, "shop");
  expect_refused(hello, ReplyStatus::kNamespace, {"\"shop\"", "[namespaces.shop]"});
  config.namespaces["shop"].users = {getuid() + 1};
  expect_refused(hello, ReplyStatus::kNamespace, {"\"shop\"", std::to_string(getuid()), "users"});
  config.namespaces["shop"].users = {getuid()};
  const UniqueFd fd = connect();
  const Received answer = ask(fd, hello);
  EXPECT_EQ(answer.reply.status, ReplyStatus::kOk) << answer.message();
  EXPECT_STREQ(answer.reply.namespace_name, "shop");
}

TEST_F(SessionServerTest, SessionsPerUserAreLimited) {
  config.limits.sessions_per_uid = 2;
  UniqueFd one = connect();
  const UniqueFd two = connect();
  const Received first = ask(one, hello_of(HelloKind::kAttach));
  const Received second = ask(two, hello_of(HelloKind::kAttach));
  ASSERT_EQ(second.reply.status, ReplyStatus::kOk);
  expect_refused(hello_of(HelloKind::kAttach), ReplyStatus::kFull, {"limits.sessions_per_uid"});
  one.reset();
  ASSERT_TRUE(eventually([&] { return server->sessions() == 1; }));
  const UniqueFd three = connect();
  EXPECT_EQ(ask(three, hello_of(HelloKind::kAttach)).reply.status, ReplyStatus::kOk);
}

TEST_F(SessionServerTest, AShortageOfDescriptorsIsSaid) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd next(dup(0));
  rlimit low = before;
  low.rlim_cur = static_cast<rlim_t>(next.get()) + 34;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  server->stop();
  server = std::make_unique<SessionServer>(io, config, admission, reaper, waker);
  server->listen(runtime.client_socket());
  expect_refused(hello_of(HelloKind::kAttach), ReplyStatus::kFull,
                 {"file descriptors", "LimitNOFILE"});
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_F(SessionServerTest, AFullProcessTableIsSaid) {
  std::vector<UniqueFd> sessions;
  std::vector<Received> answers;
  for (uint32_t i = 1; i < config.limits.tables.processes; ++i) {
    sessions.push_back(connect());
    answers.push_back(ask(sessions.back(), hello_of(HelloKind::kAttach)));
  }
  expect_refused(hello_of(HelloKind::kAttach), ReplyStatus::kFull, {"limits.processes"});
}

TEST_F(SessionServerTest, ABrokenSegmentGetsNoNewWorker) {
  const UniqueFd fd = connect();
  const Received answer = ask(fd, hello_of(HelloKind::kAttach));
  ASSERT_EQ(ftruncate(answer.descriptors[0].get(), 0), 0);
  expect_refused(hello_of(HelloKind::kAttach), ReplyStatus::kUnavailable,
                 {default_namespace(getuid()), "was cut"});
}

// ---- the socket

TEST_F(SessionServerTest, TheSocketHasTheConfiguredPermissions) {
  server->stop();
  config.socket_mode = 0606;
  server = std::make_unique<SessionServer>(io, config, admission, reaper, waker);
  server->listen(runtime.client_socket());
  struct stat status {};
  ASSERT_EQ(stat(runtime.client_socket().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0606u);
  EXPECT_TRUE(server->reachable());
}

TEST_F(SessionServerTest, AStaleSocketIsReplaced) {
  server->stop();
  scratch.write("client.sock", "left by somebody");
  server = std::make_unique<SessionServer>(io, config, admission, reaper, waker);
  server->listen(runtime.client_socket());
  const UniqueFd fd = connect();
  EXPECT_EQ(ask(fd, hello_of(HelloKind::kAttach)).reply.status, ReplyStatus::kOk);
}

TEST_F(SessionServerTest, ARemovedSocketIsNoticed) {
  EXPECT_TRUE(server->reachable());
  unlink(runtime.client_socket().c_str());
  EXPECT_FALSE(server->reachable());
}

TEST_F(SessionServerTest, StoppingEndsSessionsTellsNewcomersAndLeavesTheSegment) {
  const UniqueFd attached = connect();
  const Received answer = ask(attached, hello_of(HelloKind::kAttach));
  const UniqueFd newcomer = connect();
  ASSERT_TRUE(eventually([&] { return server->sessions() == 2; }));
  server->stop();
  EXPECT_EQ(access(runtime.client_socket().c_str(), F_OK), -1);
  const auto told = receive(newcomer);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->reply.status, ReplyStatus::kUnavailable);
  EXPECT_TRUE(hangs_up(attached));
  EXPECT_TRUE(eventually([&] { return server->sessions() == 0; }));
  EXPECT_EQ(own_segment().view().process(answer.reply.process)->incarnation.load(),
            answer.reply.process_incarnation);
  EXPECT_EQ(access(runtime.segment(default_namespace(getuid())).c_str(), F_OK), 0);
}

TEST_F(SessionServerTest, TheServerMayGoBeforeItsLoop) {
  const UniqueFd attached = connect();
  const Received answer = ask(attached, hello_of(HelloKind::kAttach));
  const UniqueFd silent = connect();
  ASSERT_TRUE(eventually([&] { return server->sessions() == 2; }));
  server.reset();
  run(10);
}

// An attached worker as the waker sees it: a session, and a lane.
class WakerTest : public SessionServerTest {
 protected:
  struct Attached {
    UniqueFd fd;
    std::vector<UniqueFd> descriptors;
    shm::OwnerId lane;
  };
  Attached attach() {
    Attached worker{connect(), {}, {}};
    Received answer = ask(worker.fd, hello_of(HelloKind::kAttach));
    EXPECT_EQ(answer.reply.status, ReplyStatus::kOk) << answer.message();
    worker.descriptors = std::move(answer.descriptors);
    worker.lane = shm::open_lane(own_segment().view(), answer.reply.process,
                                 answer.reply.process_incarnation, 1);
    return worker;
  }
  shm::LaneRecord& record(const Attached& worker) {
    return *own_segment().view().lane(worker.lane.lane());
  }
  void flag(const Attached& worker) { record(worker).attention = 1; }
  void sleep(const Attached& worker, shm::LaneSleep how) {
    record(worker).sleep = static_cast<uint32_t>(how);
  }
  size_t bytes_for(const Attached& worker) {
    char bytes[64];
    const ssize_t got = recv(worker.fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }
  bool still_attached(const Attached& worker) {
    char byte;
    return recv(worker.fd.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0;
  }
};

TEST_F(WakerTest, AByteOfAWorkerTellsThoseWhoSleepAndWereFlagged) {
  const Attached asking = attach();
  const Attached by_signal = attach();
  const Attached by_stream = attach();
  const Attached awake = attach();
  const Attached not_flagged = attach();
  sleep(by_signal, shm::LaneSleep::kSignal);
  sleep(by_stream, shm::LaneSleep::kStream);
  sleep(not_flagged, shm::LaneSleep::kSignal);
  for (const Attached* worker : {&by_signal, &by_stream, &awake}) flag(*worker);
  send_bytes(asking.fd, "w", 1);
  EXPECT_TRUE(eventually([&] { return waker.sent() == 2; }));
  EXPECT_EQ(bytes_for(by_signal), 1u);
  EXPECT_EQ(bytes_for(by_stream), 1u);
  EXPECT_EQ(bytes_for(awake), 0u);
  EXPECT_EQ(bytes_for(not_flagged), 0u);
  EXPECT_TRUE(still_attached(asking));
}

TEST_F(WakerTest, TheDaemonsOwnFlagsAreTold) {
  const Attached worker = attach();
  sleep(worker, shm::LaneSleep::kSignal);
  EXPECT_EQ(waker.look(own_segment()), 0u);
  flag(worker);
  EXPECT_EQ(waker.look(own_segment()), 1u);
  EXPECT_EQ(bytes_for(worker), 1u);
}

TEST_F(WakerTest, AFullBufferIsLeftAlone) {
  const Attached worker = attach();
  sleep(worker, shm::LaneSleep::kSignal);
  flag(worker);
  uint64_t sent = 0;
  do {
    sent = waker.sent();
    waker.look(own_segment());
  } while (waker.sent() > sent);
  EXPECT_GT(sent, 0u);
  EXPECT_TRUE(still_attached(worker));
}

TEST_F(WakerTest, WhoLeftIsNotWrittenTo) {
  Attached worker = attach();
  sleep(worker, shm::LaneSleep::kSignal);
  flag(worker);
  worker.fd.reset();
  EXPECT_TRUE(eventually([&] { return server->sessions() == 0; }));
  waker.look(own_segment());
  EXPECT_EQ(waker.sent(), 0u);
}

// Bytes beyond what is read stay with whoever sends them.
TEST_F(WakerTest, AFloodIsReadALittleAtATime) {
  const Attached flooding = attach();
  const std::string flood(65536, 'w');
  size_t taken = 0;
  for (int turn = 0; turn < 20; ++turn) {
    const ssize_t sent =
        send(flooding.fd.get(), flood.data(), flood.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) taken += static_cast<size_t>(sent);
    run(1);
  }
  // The socket's own buffer, and 64 bytes a millisecond.
  EXPECT_LT(taken, 20 * flood.size() / 2);
  EXPECT_TRUE(still_attached(flooding));
  // Others are served meanwhile.
  const Attached other = attach();
  sleep(other, shm::LaneSleep::kStream);
  flag(other);
  EXPECT_TRUE(eventually([&] { return bytes_for(other) > 0; }));
}

}  // namespace
}  // namespace oxpool::daemon
