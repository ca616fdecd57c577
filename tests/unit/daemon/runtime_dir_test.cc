#include "daemon/runtime_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "daemon/refused.h"
#include "scratch_directory.h"

namespace oxpool::daemon {
namespace {

void expect_refused(const std::string& path, bool allow_disk,
                    const std::vector<std::string>& sentence_has) {
  try {
    const RuntimeDir directory(path, allow_disk);
    FAIL() << path << " was taken";
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_NE(sentence.find(path), std::string::npos) << sentence;
    for (const std::string& part : sentence_has) {
      EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
    }
  }
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST(RuntimeDir, MakesItsLastPartAndPrivateFolders) {
  const ScratchDirectory scratch;
  const RuntimeDir directory(scratch.path() + "/made", false);
  EXPECT_EQ(mode_of(directory.segments()), 0700u);
  EXPECT_EQ(mode_of(directory.locks()), 0700u);
  EXPECT_NE(mode_of(directory.path()) & 0011, 0u) << "workers must be able to enter";
}

TEST(RuntimeDir, TightensFoldersThatStandOpen) {
  const ScratchDirectory scratch;
  mkdir((scratch.path() + "/segments").c_str(), 0755);
  const RuntimeDir directory(scratch.path(), false);
  EXPECT_EQ(mode_of(directory.segments()), 0700u);
}

// Locking needs no more than reading.
TEST(RuntimeDir, NobodyElseCanOpenItsLock) {
  const ScratchDirectory scratch;
  chmod(scratch.write("daemon.lock", "").c_str(), 0644);
  const RuntimeDir directory(scratch.path(), false);
  EXPECT_EQ(mode_of(scratch.path() + "/daemon.lock"), 0600u);
}

TEST(RuntimeDir, RefusesWhatIsMissingOrNoDirectory) {
  const ScratchDirectory scratch;
  expect_refused(scratch.path() + "/not/there", false, {"does not exist", "create it"});
  expect_refused(scratch.write("file", ""), false, {"is not a directory", "--runtime-dir"});
}

TEST(RuntimeDir, RefusesAPathTooLongForASocket) {
  expect_refused("/dev/shm/" + std::string(120, 'x'), false, {"too long", "--runtime-dir"});
}

TEST(RuntimeDir, RefusesDiskUnlessAllowed) {
  const ScratchDirectory scratch(OXPOOL_DEPLOY_DIR "/..");  // the source folder, seldom on tmpfs
  struct statfs status {};
  ASSERT_EQ(statfs(scratch.path().c_str(), &status), 0);
  if (status.f_type == 0x01021994) GTEST_SKIP() << "the source folder is on tmpfs";
  expect_refused(scratch.path(), false, {"is not on tmpfs", "--allow-disk"});
  expect_refused(scratch.path() + "/made", false, {"is not on tmpfs", "--allow-disk"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "a refusal leaves nothing behind";
  EXPECT_NO_THROW(RuntimeDir(scratch.path(), true));
}

TEST(RuntimeDir, HasOneDaemonAtATime) {
  const ScratchDirectory scratch;
  {
    const RuntimeDir first(scratch.path(), false);
    expect_refused(scratch.path(), false,
                   {"another oxpoold", "pid " + std::to_string(getpid()), "--runtime-dir"});
  }
  EXPECT_NO_THROW(RuntimeDir(scratch.path(), false)) << "the first one has ended";
}

TEST(RuntimeDir, RefusesWhenThereIsNoRoom) {
  const ScratchDirectory scratch;
  const RuntimeDir directory(scratch.path(), false);
  EXPECT_NO_THROW(directory.require_room(1));
  try {
    directory.require_room(uint64_t{1} << 60);
    FAIL() << "there is no such tmpfs";
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_NE(sentence.find(std::to_string(uint64_t{1} << 60)), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("free"), std::string::npos) << sentence;
  }
}

TEST(RuntimeDir, ListsNamespacesOfBothFolders) {
  const ScratchDirectory scratch;
  const RuntimeDir directory(scratch.path(), false);
  for (const char* file : {"segments/b", "locks/a", "locks/b", "segments/c~new"}) {
    scratch.write(file, "");
  }
  EXPECT_EQ(directory.namespaces(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace oxpool::daemon
