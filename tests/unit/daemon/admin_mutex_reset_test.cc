#include <gtest/gtest.h>

#include "daemon/admin/changes.h"
#include "daemon/admin/looks.h"
#include "daemon/event_log.h"
#include "segment_fixture.h"

namespace oxpool::daemon::admin {
namespace {

using grpc::StatusCode;

class MutexResetTest : public SegmentFixture {
 protected:
  MutexResetTest()
      : changes(store), worker(attach(1234)), mutex(make_mutex("counter", worker.lane)) {
    request.mutable_mutex()->set_name("counter");
  }

  grpc::Status reset() {
    response.Clear();
    return *changes.reset(request, &response)(false);
  }
  // Of resets that were done, since `number`.
  size_t logged_since(uint64_t number) {
    size_t count = 0;
    for (const LoggedEvent& event : recent_events().since(number)) {
      if (event.name == std::string("mutex reset by operator")) ++count;
    }
    return count;
  }

  Changes changes;
  TestWorker worker;
  shm::MutexRecord& mutex;
  v1::ResetMutexRequest request;
  v1::ResetMutexResponse response;
};

TEST_F(MutexResetTest, ACorruptedOneCanBeLockedAgainAndHasItsValue) {
  const uint64_t last = recent_events().last();
  const uint64_t value = mutex.value.load();
  mutex.lock.store(shm::MutexWord::kCorrupted);
  ASSERT_FALSE(shm::lock_if_open(mutex, worker.lane));
  ASSERT_TRUE(reset().ok());
  EXPECT_TRUE(response.was_corrupted());
  EXPECT_FALSE(response.mutex().corrupted());
  EXPECT_EQ("counter", response.mutex().name());
  EXPECT_EQ(mutex.id.load(), response.mutex().id());
  EXPECT_TRUE(shm::lock_if_open(mutex, worker.lane));
  EXPECT_EQ(value, mutex.value.load());
  EXPECT_EQ(1u, logged_since(last));
}

TEST_F(MutexResetTest, ASoundOneIsLeftAsItIs) {
  const uint64_t last = recent_events().last();
  ASSERT_TRUE(shm::lock_if_open(mutex, worker.lane));
  const uint64_t word = mutex.lock.load();
  ASSERT_TRUE(reset().ok());
  EXPECT_FALSE(response.was_corrupted());
  EXPECT_EQ(1234u, response.mutex().holder().pid());
  EXPECT_EQ(word, mutex.lock.load());
  EXPECT_EQ(0u, logged_since(last));
}

TEST_F(MutexResetTest, OneWhoseNameWasRemovedIsNotSaidToBeUsable) {
  mutex.lock.store(shm::MutexWord::kCorrupted | shm::MutexWord::kRemoved);
  EXPECT_EQ(StatusCode::NOT_FOUND, reset().error_code());
  request.mutable_mutex()->set_id(mutex.id.load());
  const grpc::Status status = reset();
  EXPECT_EQ(StatusCode::FAILED_PRECONDITION, status.error_code());
  for (const char* part : {"\"counter\" (id 1)", "removed"}) {
    EXPECT_NE(std::string::npos, status.error_message().find(part)) << status.error_message();
  }
  EXPECT_EQ(shm::MutexWord::kCorrupted | shm::MutexWord::kRemoved, mutex.lock.load());
}

TEST_F(MutexResetTest, NothingIsChangedInABrokenSegment) {
  mutex.lock.store(shm::MutexWord::kCorrupted);
  ASSERT_EQ(0, unlink(runtime.segment("test").c_str()));
  segment->check();
  EXPECT_EQ(StatusCode::FAILED_PRECONDITION, reset().error_code());
  EXPECT_EQ(shm::MutexWord::kCorrupted, mutex.lock.load());
}

TEST_F(MutexResetTest, ANameInTwoNamespacesTakesOneOfThem) {
  NamespaceSegment* shop = nullptr;
  ASSERT_FALSE(store.find_or_make("shop", &shop));
  mutex.lock.store(shm::MutexWord::kCorrupted);
  std::swap(segment, shop);
  make_mutex("counter", attach().lane).lock.store(shm::MutexWord::kCorrupted);
  std::swap(segment, shop);
  EXPECT_EQ(StatusCode::FAILED_PRECONDITION, reset().error_code());
  request.mutable_mutex()->set_namespace_("test");
  EXPECT_TRUE(reset().ok());
  EXPECT_EQ(0u, mutex.lock.load());
  v1::ListMutexesResponse list;
  ASSERT_TRUE(Looks(store).list_mutexes({}, &list).ok());
  ASSERT_EQ(2, list.mutexes_size());
  EXPECT_FALSE(list.mutexes(0).corrupted());
  EXPECT_TRUE(list.mutexes(1).corrupted()) << "the other namespace's";
  v1::ListMutexesRequest one;
  one.set_namespace_("shop");
  list.Clear();
  ASSERT_TRUE(Looks(store).list_mutexes(one, &list).ok());
  ASSERT_EQ(1, list.mutexes_size());
  EXPECT_EQ("shop", list.mutexes(0).namespace_());
}

}  // namespace
}  // namespace oxpool::daemon::admin
