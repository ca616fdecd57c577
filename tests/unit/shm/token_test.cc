// A process's sign of life, and what must not take it away.
#include "shm/token.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "tests/unit/child_process.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/temporary_directory.h"
#include "tests/unit/wait_until.h"

namespace oxpool::shm {
namespace {

using test::ChildProcess;
using test::SharedPage;
using test::wait_until;

constexpr uint32_t kProcess = 5;

class Token : public ::testing::Test {
 protected:
  Token() : probe_(take(kProbe)) {}
  ~Token() override { close(probe_); }

  int take(uint32_t process) {
    int fd = -1;
    const Error error = take_token(path(), process, &fd);
    EXPECT_FALSE(error) << error.message;
    return fd;
  }
  std::string path() const { return directory_.file("locks"); }
  bool held() const { return token_held(probe_, kProcess); }

  static constexpr uint32_t kProbe = 0;  // the byte of who asks
  test::TemporaryDirectory directory_;
  int probe_;
};

TEST_F(Token, IsHeldUntilItsDescriptorIsClosed) {
  EXPECT_FALSE(held());
  const int token = take(kProcess);
  EXPECT_TRUE(held());
  EXPECT_FALSE(token_held(probe_, kProcess + 1));
  close(token);
  EXPECT_FALSE(held());
}

TEST_F(Token, IsRefusedWhileSomebodyHasIt) {
  const int token = take(kProcess);
  int second = -1;
  const Error error = take_token(path(), kProcess, &second);
  EXPECT_EQ(ErrorCode::kInUse, error.code);
  EXPECT_NE(std::string::npos, error.message.find(path())) << error.message;
  EXPECT_NE(std::string::npos, error.message.find(std::to_string(kProcess))) << error.message;
  EXPECT_EQ(-1, second);
  EXPECT_TRUE(held()) << "the refused attempt must not drop the holder's";
  close(token);
}

TEST_F(Token, IsClosedOnExec) {
  const int token = take(kProcess);
  EXPECT_NE(0, fcntl(token, F_GETFD) & FD_CLOEXEC);
  close(token);
}

TEST_F(Token, SurvivesTheCloseOfACopyAndOfTheOriginal) {
  const int token = take(kProcess);
  const int copy = dup(token);
  close(copy);
  EXPECT_TRUE(held());
  const int second = dup(token);
  close(token);
  EXPECT_TRUE(held());
  close(second);
  EXPECT_FALSE(held());
}

TEST_F(Token, SurvivesAnotherOpenAndCloseOfTheFile) {
  const int token = take(kProcess);
  for (int i = 0; i < 3; ++i) close(open(path().c_str(), O_RDWR | O_CLOEXEC));
  const int other = take(kProcess + 1);
  close(other);
  EXPECT_TRUE(held());
  close(token);
}

TEST_F(Token, SurvivesAForkedChildsCloseAndExit) {
  const int token = take(kProcess);
  ChildProcess closes([&] { return close(token); });
  EXPECT_EQ(0, closes.wait());
  EXPECT_TRUE(held());
  ChildProcess leaves([] { return 0; });
  EXPECT_EQ(0, leaves.wait());
  EXPECT_TRUE(held());
  close(token);
  EXPECT_FALSE(held());
}

TEST_F(Token, LivesAsLongAsAForkedChildKeepsIt) {
  const int token = take(kProcess);
  ChildProcess keeps([] {
    pause();
    return 0;
  });
  close(token);
  EXPECT_TRUE(held());
  keeps.kill_and_wait();
  EXPECT_FALSE(held());
}

TEST_F(Token, IsGoneOnceItsProcessIsKilled) {
  SharedPage<std::atomic<bool>> taken;
  ChildProcess holder([&] {
    take(kProcess);
    *taken = true;
    pause();
    return 0;
  });
  ASSERT_TRUE(wait_until([&] { return taken->load(); }));
  EXPECT_TRUE(held());
  holder.send(SIGSTOP);
  EXPECT_TRUE(held()) << "stopped is not dead";
  holder.kill_and_wait();
  EXPECT_FALSE(held());
}

TEST_F(Token, OwnDescriptionDoesNotSeeItself) {
  const int token = take(kProcess);
  EXPECT_FALSE(token_held(token, kProcess)) << "the reason why Liveness knows its own process";
  EXPECT_TRUE(token_held(token, kProbe));
  close(token);
}

TEST_F(Token, UnaskableQuestionDeclaresNobodyDead) {
  EXPECT_TRUE(token_held(-1, kProcess));
  int pipes[2];
  ASSERT_EQ(0, pipe(pipes));
  close(pipes[0]);
  close(pipes[1]);
  EXPECT_TRUE(token_held(pipes[0], kProcess));
}

TEST_F(Token, UnreachableLockFileIsNamed) {
  int fd = -1;
  const Error error = take_token("/dev/shm/no-such-directory/locks", 1, &fd);
  EXPECT_EQ(ErrorCode::kSystem, error.code);
  EXPECT_NE(std::string::npos, error.message.find("/dev/shm/no-such-directory/locks"));
}

}  // namespace
}  // namespace oxpool::shm
