#include "daemon/segment_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "daemon/bus_guard.h"
#include "daemon/idle_scheduler.h"
#include "daemon/refused.h"
#include "daemon/stray_net.h"
#include "logged_lines.h"
#include "segment_fixture.h"
#include "shm/lane.h"
#include "shm/snapshot.h"
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

TEST_F(SegmentStoreTest, CountersGoOnWithTheNextDaemon) {
  NamespaceSegment* segment = make("shop");
  const Attachment worker = attach(segment);
  const auto lane = shm::open_lane(segment->view(), worker.ref.process, worker.ref.incarnation, 1);
  uint32_t pool = 0, seat = 0;
  {
    shm::TableLock lock(segment->view(), segment->locks(), shm::kLockPatienceNs);
    shm::PoolRequest request;
    request.max_size = 4;
    ASSERT_EQ(shm::find_or_make_pool(lock, "p", request, shm::monotonic_ns(), &pool),
              shm::PoolResult::kOk);
    ASSERT_EQ(shm::take_seat(lock, pool, lane, &seat), shm::PoolResult::kOk);
  }
  // `seen` by whoever looks at the segment that the store has at the moment.
  const auto seen = [&] {
    std::vector<shm::CounterSums> all;
    shm::sum_counters(store->find("shop")->view(), &all);
    return all.at(pool)[shm::Counter::mints];
  };
  shm::count(*segment->view().seat(seat), shm::Counter::mints, 41);
  ASSERT_EQ(seen(), 41u);
  restart();
  EXPECT_EQ(seen(), 41u) << "of a worker that lives";
  shm::count(*store->find("shop")->view().seat(seat), shm::Counter::mints, 1);
  EXPECT_EQ(seen(), 42u);
  {
    segment = store->find("shop");
    shm::TableLock lock(segment->view(), segment->locks(), shm::kLockPatienceNs);
    shm::leave_seat(lock, seat, shm::monotonic_ns());
  }
  ASSERT_EQ(seen(), 42u);
  restart();
  EXPECT_EQ(seen(), 42u) << "of one that has left";
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

// A worker that outlives the daemon may cut the file at any instant of the next one's start.
TEST_F(SegmentStoreTest, ASegmentThatIsCutWhileItIsAdoptedDoesNotEndTheDaemon) {
  const uint64_t bytes = make("shop")->view().bytes();
  end();
  const UniqueFd file(open(runtime.segment("shop").c_str(), O_RDWR | O_CLOEXEC));
  std::vector<char> sound(bytes);
  ASSERT_EQ(pread(file.get(), sound.data(), bytes, 0), static_cast<ssize_t>(bytes));
  const LoggedLines log;  // instead of standard error
  std::atomic<bool> done{false};
  std::thread vandal([&] {
    while (!done) {
      if (ftruncate(file.get(), 0) != 0) break;
      if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) break;
      if (pwrite(file.get(), sound.data(), bytes, 0) < 0) break;
    }
  });
  int adopted = 0, refused = 0;
  for (int i = 0; i < 1000 || ((adopted == 0 || refused == 0) && i < 100'000); ++i) {
    begin();
    store->adopt_all();
    ++(store->find("shop") != nullptr && store->troubles().empty() ? adopted : refused);
    end();
  }
  done = true;
  vandal.join();
  EXPECT_GT(adopted, 0);
  EXPECT_GT(refused, 0);
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

// Its mapping is as sound as before, but nobody could map it any more.
TEST_F(SegmentStoreTest, ALengthenedSegmentIsNoticed) {
  const uint64_t bytes = make("shop")->view().bytes();
  truncate_to(runtime.segment("shop"), static_cast<off_t>(bytes) + 100);
  store->check();
  ASSERT_EQ(store->troubles().size(), 1u);
  EXPECT_NE(store->troubles()[0].find("was lengthened"), std::string::npos);
}

TEST_F(SegmentStoreTest, AnOverwrittenHeaderIsNoticed) {
  shm::SegmentHeader& header = make("shop")->view().header();
  header.tables[shm::kPoolTable].count = 1u << 30;
  store->check();
  ASSERT_EQ(store->troubles().size(), 1u);
  EXPECT_NE(store->troubles()[0].find("was overwritten"), std::string::npos);
}

// Without it the daemon could have no lock, and bury nobody.
TEST_F(SegmentStoreTest, AnOverwrittenPlaceOfTheDaemonIsNoticed) {
  make("one")->view().lane(shm::kDaemonLane)->incarnation.store(999);
  make("two")->view().lane(shm::kDaemonLane)->claim.store(999);
  make("three")->view().process(shm::kDaemonProcess)->incarnation.store(999);
  store->check();
  EXPECT_EQ(store->troubles().size(), 3u);
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

// A worker's record that no burial takes away, as one that was scribbled there.
TEST_F(SegmentStoreTest, DamageThatNobodyMendsIsReplacedOnceNobodyIsAttached) {
  NamespaceSegment* segment = make("shop");
  Attachment worker = attach(segment);
  segment->view().lane(5)->claim.store(shm::OwnerId::make(7, 77).raw);
  for (int i = 0; i < 10; ++i) store->check();
  EXPECT_TRUE(store->troubles().empty()) << "somebody is attached: it goes on";
  shm::clear_process(segment->view(), worker.ref.process);
  worker.token.reset();
  for (int i = 0; i < 3; ++i) store->check();
  EXPECT_TRUE(store->troubles().empty()) << "a burial may still be under way";
  store->check();
  ASSERT_EQ(store->troubles().size(), 1u);
  EXPECT_NE(store->troubles()[0].find("nobody can bury"), std::string::npos);
  for (int i = 0; i < 2; ++i) store->check();
  EXPECT_EQ(make("shop")->view().lane(5)->claim.load(), 0u);
}

TEST_F(SegmentStoreTest, ASegmentAtRestIsLeftAsItIs) {
  NamespaceSegment* segment = make("shop");
  const uint64_t identity = segment->view().header().identity[0];
  Attachment worker = attach(segment);
  shm::clear_process(segment->view(), worker.ref.process);
  worker.token.reset();
  for (int i = 0; i < 10; ++i) store->check();
  EXPECT_EQ(make("shop")->view().header().identity[0], identity);
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
