#include "daemon/segment_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "daemon/bus_guard.h"
#include "daemon/idle_scheduler.h"
#include "daemon/refused.h"
#include "daemon/stray_net.h"
#include "segment_fixture.h"
#include "shm/token.h"

namespace oxpool::daemon {
namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void truncate_to(const std::string& path, off_t bytes) {
  ASSERT_EQ(truncate(path.c_str(), bytes), 0);
}

// One daemon life after the other on the same directory.
class SegmentStoreTest : public testing::Test {
 protected:
  SegmentStoreTest() : runtime(scratch.path(), false), limits(small_limits()) {
    BusGuard::install();
    begin();
  }

  void begin() { store = std::make_unique<SegmentStore>(runtime, limits); }
  void end() { store.reset(); }
  void restart() {
    end();
    begin();
    store->adopt_all();
  }

  NamespaceSegment* make(const std::string& name) {
    NamespaceSegment* segment = nullptr;
    const shm::Error error = store->find_or_make(name, &segment);
    EXPECT_FALSE(error) << error.message;
    return segment;
  }
  shm::Error try_make(const std::string& name) {
    NamespaceSegment* segment = nullptr;
    return store->find_or_make(name, &segment);
  }
  Attachment attach(NamespaceSegment* segment) {
    Attachment attachment;
    const Peer peer{getpid(), getuid(), getgid(), {}};
    const shm::Error error = segment->attach(peer, "tester", shm::monotonic_ns(), &attachment);
    EXPECT_FALSE(error) << error.message;
    return attachment;
  }
  std::string refusal_of_adoption() {
    try {
      store->adopt_all();
    } catch (const Refused& refused) {
      return refused.what();
    }
    return {};
  }

  ScratchDirectory scratch;
  RuntimeDir runtime;
  Limits limits;
  std::unique_ptr<SegmentStore> store;
};

TEST_F(SegmentStoreTest, MakesASegmentOnceForItsOwnerOnly) {
  NamespaceSegment* segment = make("shop");
  EXPECT_EQ(make("shop"), segment);
  EXPECT_NE(make("other"), segment);
  struct stat status {};
  ASSERT_EQ(stat(runtime.segment("shop").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(static_cast<uint64_t>(status.st_blocks) * 512 / 4096 * 4096, segment->view().bytes())
      << "all of it is reserved";
}

TEST_F(SegmentStoreTest, AdoptsWithEverythingInIt) {
  const Attachment before = attach(make("shop"));
  const uint64_t identity = make("shop")->view().header().identity[0];
  restart();
  NamespaceSegment* segment = store->find("shop");
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(segment->view().header().identity[0], identity);
  EXPECT_TRUE(segment->token_held(before.ref.process)) << "the worker lives on";
  EXPECT_NE(attach(segment).ref.process, before.ref.process);
}

TEST_F(SegmentStoreTest, TheDaemonsLockIsNotInTheWayOfItsNextLife) {
  NamespaceSegment* segment = make("shop");
  // As if killed inside: the lock names a lane whose incarnation is over.
  ASSERT_EQ(shm::RobustMutex::lock(segment->view().header().table_lock, segment->locks(), 0),
            shm::LockResult::kAcquired);
  restart();
  segment = store->find("shop");
  shm::TableLock lock(segment->view(), segment->locks(), 0);
  EXPECT_TRUE(lock.held());
}

TEST_F(SegmentStoreTest, AnotherLayoutVersionIsRefusedWithBothVersions) {
  make("shop")->view().header().abi_major = shm::kAbiMajor + 1;
  end();
  begin();
  const std::string sentence = refusal_of_adoption();
  for (const std::string& part :
       {runtime.segment("shop"), "version " + std::to_string(shm::kAbiMajor + 1),
        "has " + std::to_string(shm::kAbiMajor), std::string("--reset")}) {
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
  }
  EXPECT_TRUE(exists(runtime.segment("shop"))) << "it is left as it was";
}

TEST_F(SegmentStoreTest, ResetIsRefusedWhileAWorkerLives) {
  Attachment one = attach(make("shop"));
  const Attachment two = attach(make("shop"));
  const Attachment three = attach(make("other"));
  end();
  try {
    remove_all_segments(runtime);
    FAIL() << "was done";
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_NE(sentence.find("3 living workers"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("shop: 2"), std::string::npos) << sentence;
  }
  EXPECT_TRUE(exists(runtime.segment("shop")));
}

TEST_F(SegmentStoreTest, ResetRemovesWhenNobodyLives) {
  attach(make("shop"));  // dead at once: its token is closed
  end();
  remove_all_segments(runtime);
  EXPECT_FALSE(exists(runtime.segment("shop")));
  EXPECT_FALSE(exists(runtime.lock("shop")));
}

TEST_F(SegmentStoreTest, ProcessRecordsRunOutInASentence) {
  NamespaceSegment* segment = make("shop");
  std::vector<Attachment> all;
  for (uint32_t i = 1; i < limits.tables.processes; ++i) all.push_back(attach(segment));
  Attachment surplus;
  const shm::Error error = segment->attach(Peer{}, "x", 1, &surplus);
  EXPECT_EQ(error.code, shm::ErrorCode::kNoRoom);
  EXPECT_NE(error.message.find("limits.processes"), std::string::npos) << error.message;
}

TEST_F(SegmentStoreTest, ARecordWhoseTokenIsStillHeldIsNotGivenAway) {
  NamespaceSegment* segment = make("shop");
  const Attachment fenced = attach(segment);
  shm::clear_process(segment->view(), fenced.ref.process);  // buried alive
  segment->note_free(fenced.ref.process);
  EXPECT_NE(attach(segment).ref.process, fenced.ref.process);
}

TEST_F(SegmentStoreTest, ARecordThatBecameFreeUnnoticedIsFound) {
  NamespaceSegment* segment = make("shop");
  std::vector<Attachment> all;
  for (uint32_t i = 1; i < limits.tables.processes; ++i) all.push_back(attach(segment));
  const uint32_t process = all[4].ref.process;
  shm::clear_process(segment->view(), process);
  all[4].token.reset();
  EXPECT_EQ(attach(segment).ref.process, process);
}

TEST_F(SegmentStoreTest, NamespacesAreLimited) {
  limits.namespaces = 1;
  make("one");
  const shm::Error error = try_make("two");
  EXPECT_EQ(error.code, shm::ErrorCode::kNoRoom);
  EXPECT_NE(error.message.find("limits.namespaces"), std::string::npos) << error.message;
}

TEST_F(SegmentStoreTest, AFileWhoseMakingWasCutShortIsRemoved) {
  scratch.write("segments/shop~new", "half");
  store->adopt_all();
  EXPECT_FALSE(exists(runtime.segments() + "/shop~new"));
}

// ---- segments in trouble

TEST_F(SegmentStoreTest, ATruncatedSegmentDoesNotEndTheDaemon) {
  NamespaceSegment* segment = make("shop");
  const Attachment worker = attach(segment);
  truncate_to(runtime.segment("shop"), 0);
  // Every one of these touches pages that are gone.
  IdleScheduler().run(segment->view(), shm::monotonic_ns());
  StrayNet().step(*segment);
  EXPECT_FALSE(segment->is_current(worker.ref)) << "reads as empty";
  store->check();
  ASSERT_EQ(store->troubles().size(), 1u);
  EXPECT_NE(store->troubles()[0].find("\"shop\""), std::string::npos) << store->troubles()[0];
  EXPECT_EQ(try_make("shop").code, shm::ErrorCode::kNotASegment) << "no new worker";
  EXPECT_NE(make("other"), nullptr) << "others are not concerned";
}

TEST_F(SegmentStoreTest, ATruncatedSegmentIsNoticedWithoutTouchingIt) {
  make("shop");
  truncate_to(runtime.segment("shop"), 8192);
  store->check();
  ASSERT_EQ(store->troubles().size(), 1u);
  EXPECT_NE(store->troubles()[0].find("to 8192 bytes"), std::string::npos) << store->troubles()[0];
}

TEST_F(SegmentStoreTest, ASegmentThatWasEmptiedAndGrownAgainIsNoticed) {
  const uint64_t bytes = make("shop")->view().bytes();
  truncate_to(runtime.segment("shop"), 0);
  truncate_to(runtime.segment("shop"), static_cast<off_t>(bytes));
  store->check();
  EXPECT_EQ(store->troubles().size(), 1u);
}

TEST_F(SegmentStoreTest, ARemovedSegmentGetsNoSecondOneBesideIt) {
  const Attachment worker = attach(make("shop"));
  unlink(runtime.segment("shop").c_str());
  EXPECT_EQ(try_make("shop").code, shm::ErrorCode::kNotASegment);
  EXPECT_FALSE(exists(runtime.segment("shop")));
  EXPECT_EQ(store->troubles().size(), 1u);
  for (int i = 0; i < 3; ++i) store->check();
  EXPECT_EQ(try_make("shop").code, shm::ErrorCode::kNotASegment) << "its worker lives";
}

TEST_F(SegmentStoreTest, ARemovedSegmentGetsNoSecondOneInTheDaemonsNextLifeEither) {
  const Attachment worker = attach(make("shop"));
  unlink(runtime.segment("shop").c_str());
  restart();
  EXPECT_TRUE(try_make("shop"));
  ASSERT_EQ(store->troubles().size(), 1u);
  for (int i = 0; i < 3; ++i) store->check();
  EXPECT_TRUE(try_make("shop"));
  EXPECT_FALSE(exists(runtime.segment("shop")));
}

TEST_F(SegmentStoreTest, NoSegmentIsMadeBesideALockFileWithWorkers) {
  int fd = -1;
  ASSERT_FALSE(shm::take_token(runtime.lock("shop"), 3, &fd));
  const UniqueFd token(fd);
  EXPECT_EQ(try_make("shop").code, shm::ErrorCode::kInUse);
  EXPECT_FALSE(exists(runtime.segment("shop")));
}

TEST_F(SegmentStoreTest, ABrokenSegmentIsReplacedOnceNobodyHasBeenAttachedForTwoChecks) {
  Attachment worker = attach(make("shop"));
  truncate_to(runtime.segment("shop"), 0);
  for (int i = 0; i < 3; ++i) store->check();
  worker.token.reset();
  store->check();
  EXPECT_EQ(try_make("shop").code, shm::ErrorCode::kNotASegment) << "one check is too early";
  store->check();
  EXPECT_TRUE(store->troubles().empty());
  EXPECT_TRUE(make("shop")->trouble().empty());
}

TEST_F(SegmentStoreTest, GarbageOfAnEarlierLifeIsReplacedToo) {
  end();
  scratch.write("segments/shop", "no segment");
  begin();
  store->adopt_all();
  EXPECT_EQ(store->troubles().size(), 1u);
  EXPECT_TRUE(try_make("shop"));
  store->check();
  store->check();
  EXPECT_TRUE(make("shop")->trouble().empty());
}

TEST_F(SegmentStoreTest, AReplacedLockFileIsNoticedBeforeATokenIsGivenTwice) {
  NamespaceSegment* segment = make("shop");
  const Attachment worker = attach(segment);
  unlink(runtime.lock("shop").c_str());
  Attachment second;
  EXPECT_TRUE(segment->attach(Peer{}, "x", 1, &second));
  EXPECT_FALSE(segment->trouble().empty());
}

TEST_F(SegmentStoreTest, WithoutItsLockFileASegmentWithWorkersIsNotAdopted) {
  const Attachment worker = attach(make("shop"));
  unlink(runtime.lock("shop").c_str());
  restart();
  EXPECT_EQ(store->find("shop"), nullptr);
  ASSERT_EQ(store->troubles().size(), 1u);
  for (int i = 0; i < 3; ++i) store->check();
  EXPECT_EQ(store->troubles().size(), 1u) << "nobody knows whether its workers live";
}

TEST_F(SegmentStoreTest, ASegmentUnderAnotherNameIsNotAdopted) {
  make("shop");
  end();
  ASSERT_EQ(rename(runtime.segment("shop").c_str(), runtime.segment("bank").c_str()), 0);
  begin();
  store->adopt_all();
  EXPECT_EQ(store->find("bank"), nullptr);
  EXPECT_EQ(store->troubles().size(), 1u);
}

TEST_F(SegmentStoreTest, AMarkFromAnEarlierLifeStays) {
  make("shop")->view().header().broken.store(1);
  restart();
  EXPECT_EQ(store->troubles().size(), 1u);
}

}  // namespace
}  // namespace oxpool::daemon
