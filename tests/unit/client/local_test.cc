// Without a daemon: when a process goes on alone, and what it leaves open.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/unit/local_process.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/scripted_listener.h"
#include "tests/unit/shared_page.h"

namespace oxpool::test {
namespace {

TEST(Local, OnlyWhoAsksForItGetsIt) {
  EXPECT_EQ(0, in_process([] {
              ProcessOptions options = local_options();
              options.on_unreachable = OnUnreachable::kFail;
              EXPECT_EQ(Status::kUnreachable, attach_error(options).status);
              EXPECT_EQ(nullptr, LocalHost::existing());
            }));
}

TEST(Local, NobodyThereIsWorkedWithout) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              ASSERT_NE(nullptr, worker.process().local_host());
              EXPECT_NE(std::string::npos, worker.process().local_host()->reason().find(kNowhere));
              EXPECT_FALSE(worker.process().daemon_lives());
              EXPECT_FALSE(worker.process().session_open());
              auto pool = worker.open("p", pool_of(2));
              LocalSlot& one = take(*pool);
              LocalSlot& two = take(*pool);
              EXPECT_EQ(Next::kSaturated, acquire_from(*pool, 0).next);
              EXPECT_EQ(Next::kTimeout, acquire_from(*pool, 5 * kMilli).next);
              give_back(*pool, one);
              give_back(*pool, two);
              EXPECT_EQ(&two, &take(*pool)) << "the warmest";
              expect_whole(worker.lane().view(), pool->record(), 2);
            }));
}

TEST(Local, DeadSocketAndSilentDaemonAreDoneWithout) {
  EXPECT_EQ(0, in_process([] {
              TemporaryDirectory directory;
              const std::string path = directory.file("client.sock");
              close(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
              Worker worker(local_options(directory.path()));
              EXPECT_NE(nullptr, worker.process().local_host());
            }));
  EXPECT_EQ(0, in_process([] {
              ScriptedListener silent(wait_for_end);
              ProcessOptions options = local_options(silent.runtime_dir());
              options.connect_timeout_ms = 50;
              Worker worker(options);
              EXPECT_NE(nullptr, worker.process().local_host());
            }));
}

TEST(Local, WhoIsRefusedIsNotLocal) {
  for (const auto status :
       {proto::ReplyStatus::kRefused, proto::ReplyStatus::kAbi, proto::ReplyStatus::kNamespace,
        proto::ReplyStatus::kFull, proto::ReplyStatus::kUnavailable}) {
    EXPECT_EQ(0, in_process([status] {
                HandshakeServer server(few());
                server.refuse(status, "no");
                EXPECT_TRUE(attach_error(local_options(server.runtime_dir())));
                EXPECT_EQ(nullptr, LocalHost::existing());
              }));
  }
  EXPECT_EQ(0, in_process([] {
              ScriptedListener other([](int connection) {
                read_hello(connection);
                if (write(connection, "HTTP/1.1", 8) == 8) wait_for_end(connection);
              });
              EXPECT_EQ(Status::kProtocol, attach_error(local_options(other.runtime_dir())).status);
              EXPECT_EQ(nullptr, LocalHost::existing());
            }));
  EXPECT_EQ(0, in_process([] {
              ScriptedListener server([](int) {});
              chmod(server.runtime_dir().c_str(), 0755);
              chmod(server.socket_path().c_str(), 0);
              EXPECT_EQ(0, in_process([&] {
                          ASSERT_TRUE(geteuid() != 0 || setuid(65534) == 0);
                          EXPECT_EQ(Status::kUnavailable,
                                    attach_error(local_options(server.runtime_dir())).status);
                          EXPECT_EQ(nullptr, LocalHost::existing());
                        }));
            }));
}

TEST(Local, DaemonThatIsThereIsUsed) {
  EXPECT_EQ(0, in_process([] {
              HandshakeServer server(few());
              Worker worker(local_options(server.runtime_dir()));
              EXPECT_EQ(nullptr, worker.process().local_host());
              EXPECT_FALSE(worker.lane().has_attention()) << "no duties";
              EXPECT_EQ(nullptr, LocalHost::existing());
            }));
}

TEST(Local, OnceLocalAlwaysLocal) {
  EXPECT_EQ(0, in_process([] {
              Worker first(local_options());
              const uint64_t* identity = first.lane().view().header().identity;
              first.detach();
              HandshakeServer server(few());
              Worker second(local_options(server.runtime_dir()));
              ASSERT_NE(nullptr, second.process().local_host());
              EXPECT_EQ(identity, second.lane().view().header().identity);
              EXPECT_EQ(0, server.sessions_made());
              EXPECT_EQ(0, in_process([&] {
                          Worker child(local_options(server.runtime_dir()));
                          EXPECT_NE(nullptr, child.process().local_host());
                        }));
            }));
}

TEST(Local, NoDescriptorLeadsToTheSegment) {
  EXPECT_EQ(0, in_process([] {
              const size_t before = open_descriptors().size();
              Worker worker(local_options());
              int files = 0;
              for (const int fd : open_descriptors()) {
                struct stat status {};
                ASSERT_EQ(0, fstat(fd, &status));
                if (!S_ISREG(status.st_mode) || status.st_nlink != 0) continue;
                ++files;
                EXPECT_EQ(0, status.st_size);
                EXPECT_EQ(-1, ftruncate(fd, 4096));
                EXPECT_EQ(EPERM, errno);
              }
              EXPECT_EQ(2, files) << "lock file and token";
              EXPECT_EQ(before + 2, open_descriptors().size());
              worker.detach();
              EXPECT_EQ(before + 1, open_descriptors().size()) << "the lock file stays";
            }));
}

TEST(Local, ProcessOutOfDescriptorsIsToldSo) {
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              rlimit limit{};
              getrlimit(RLIMIT_NOFILE, &limit);
              limit.rlim_cur = 3;
              setrlimit(RLIMIT_NOFILE, &limit);
              const Error error = attach_error(local_options());
              EXPECT_EQ(Status::kUnavailable, error.status);
              EXPECT_NE(std::string::npos, error.message.find("Too many open files"))
                  << error.message;
            }));
}

// As php-fpm's children do; such a process is not dumpable, and /proc/self is root's then.
TEST(Local, WhoHasBecomeAnotherUserIsServedToo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can";
  EXPECT_EQ(0, in_process([] {
              Worker worker(local_options());
              auto pool = worker.open("p", pool_of(2));
              take(*pool);
              EXPECT_EQ(0, in_process([] {
                          ASSERT_EQ(0, setuid(65534));
                          Worker own(local_options());
                          EXPECT_EQ(1u, own.open("p", pool_of(2))->counts().in_use);
                        }));
            }));
  EXPECT_EQ(0, in_process([] {
              ASSERT_EQ(0, setuid(65534));
              Worker own(local_options());
              auto pool = own.open("p", pool_of(2));
              take(*pool);
            }));
}

TEST(Local, ManyLivesInOneProcessUseNothingUp) {
  EXPECT_EQ(0, in_process([] {
              for (int i = 0; i < 2000; ++i) Worker(local_options()).open("p", pool_of(1));
              Worker worker(local_options());
              EXPECT_EQ(2u, worker.lane().view().high_water(shm::kProcessTable));
              EXPECT_EQ(2u, worker.lane().view().high_water(shm::kLaneTable));
              EXPECT_EQ(1u, worker.lane().view().high_water(shm::kPoolTable));
            }));
}

}  // namespace
}  // namespace oxpool::test
