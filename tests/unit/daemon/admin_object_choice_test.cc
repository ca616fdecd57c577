#include "daemon/admin/object_choice.h"

#include "daemon/admin/near_names.h"
#include "segment_fixture.h"

namespace oxpool::daemon::admin {
namespace {

using grpc::StatusCode;

class ObjectChoiceTest : public SegmentFixture {
 protected:
  ObjectChoiceTest() { EXPECT_FALSE(store.find_or_make("shop", &shop)); }

  grpc::Status choose() {
    ObjectChoice search(selector);
    store.read([&](const std::string& name, const shm::SegmentView& view) {
      search.look_into(name, view);
    });
    choice = {};
    return search.result(&choice);
  }

  void make_pool_in_shop(const std::string& name) {
    std::swap(segment, shop);
    make_pool(name, shm::kNobody);
    std::swap(segment, shop);
  }

  NamespaceSegment* shop = nullptr;
  v1::PoolSelector selector;
  Choice choice;
};

TEST_F(ObjectChoiceTest, ByIdAndByName) {
  const uint64_t id = make_pool("db", shm::kNobody).id.load();
  selector.set_id(id);
  EXPECT_TRUE(choose().ok());
  EXPECT_EQ(choice.id, id);
  EXPECT_EQ(choice.namespace_name, "test");
  selector.set_name("db");
  EXPECT_TRUE(choose().ok());
  EXPECT_EQ(choice.id, id);
  EXPECT_EQ(shm::find_live_pool(view(), id), view().pool(0));
}

TEST_F(ObjectChoiceTest, NothingSelectedIdsThatAreNoneAndLongNamesAreInvalid) {
  EXPECT_EQ(choose().error_code(), StatusCode::INVALID_ARGUMENT);
  for (const uint64_t id : {uint64_t{0}, uint64_t{1} << 53, ~uint64_t{0}}) {
    selector.set_id(id);
    EXPECT_EQ(choose().error_code(), StatusCode::INVALID_ARGUMENT) << id;
  }
  selector.set_name(std::string(256, 'x'));
  EXPECT_EQ(choose().error_code(), StatusCode::INVALID_ARGUMENT);
  selector.set_name(std::string(255, 'x'));
  EXPECT_EQ(choose().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(ObjectChoiceTest, UnknownNamesAreToldWhatIsAlike) {
  make_pool("payments", shm::kNobody);
  make_pool("orders", shm::kNobody);
  selector.set_name("paymnets");
  const grpc::Status status = choose();
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_NE(status.error_message().find("did you mean \"payments\"?"), std::string::npos)
      << status.error_message();
  EXPECT_EQ(status.error_message().find("orders"), std::string::npos);
}

TEST_F(ObjectChoiceTest, ANameInTwoNamespacesIsToldBothAndTakesANamespace) {
  make_pool("db", shm::kNobody);
  make_pool_in_shop("db");
  selector.set_name("db");
  const grpc::Status status = choose();
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  for (const char* part : {"\"test\"", "\"shop\"", "id"}) {
    EXPECT_NE(status.error_message().find(part), std::string::npos) << status.error_message();
  }
  selector.set_namespace_("shop");
  EXPECT_TRUE(choose().ok());
  EXPECT_EQ(choice.namespace_name, "shop");
  selector.set_namespace_("nowhere");
  EXPECT_EQ(choose().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(ObjectChoiceTest, NamesAreAnyBytes) {
  const std::string name("a\xff\0b\n", 5);
  make_pool(name, shm::kNobody);
  selector.set_name(name);
  EXPECT_TRUE(choose().ok());
  selector.set_name("a\xfe");
  EXPECT_EQ(choose().error_message().find('\n'), std::string::npos) << "one line";
}

TEST_F(ObjectChoiceTest, ANameThatWasTakenAwayNamesNothing) {
  shm::PoolRecord& pool = make_pool("db", shm::kNobody);
  pool.naming.store(shm::kNameRemoved);
  selector.set_name("db");
  EXPECT_EQ("there is no pool named \"db\"; list shows all pools", choose().error_message())
      << "what is removed is not what was meant";
  selector.set_id(pool.id.load());
  EXPECT_TRUE(choose().ok());
}

TEST(NearNames, AreFewEditsAwayOrContainEachOther) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  const std::vector<std::string> names = {"orders", "order-items", "payments", "db"};
  EXPECT_EQ(near_names("order", names), (std::vector<std::string>{"orders", "order-items"}));
  EXPECT_EQ(near_names("d", names), std::vector<std::string>{"db"});
  EXPECT_TRUE(near_names("zzzzzz", names).empty());
  EXPECT_TRUE(near_names("", names).empty());
  EXPECT_EQ(near_names("order", names, 1).size(), 1u);
}

TEST_F(ObjectChoiceTest, MutexesAndPoolsAreNotMistakenForEachOther) {
  const TestWorker worker = attach();
  make_pool("db", worker.lane);
  const uint64_t id = make_mutex("counter", worker.lane).id.load();
  const auto choose_mutex = [&](const v1::MutexSelector& wanted) {
    ObjectChoice search(wanted);
    search.look_into("test", view());
    return search.result(&choice);
  };
  v1::MutexSelector wanted;
  wanted.set_name("counter");
  EXPECT_TRUE(choose_mutex(wanted).ok());
  EXPECT_EQ(id, choice.id);
  EXPECT_STREQ("mutex", choice.noun);
  wanted.set_name("db");
  EXPECT_EQ("there is no mutex named \"db\"; mutexes lists them",
            choose_mutex(wanted).error_message());
  wanted.set_name("counters");
  EXPECT_EQ("there is no mutex named \"counters\"; did you mean \"counter\"?",
            choose_mutex(wanted).error_message());
  shm::close_mutex(view(), *shm::find_live_mutex(view(), id));
  wanted.set_name("counter");
  EXPECT_EQ(StatusCode::NOT_FOUND, choose_mutex(wanted).error_code()) << "its name was removed";
  wanted.set_id(id);
  EXPECT_TRUE(choose_mutex(wanted).ok()) << "somebody still has it";
  wanted.set_id(1);
  EXPECT_EQ("there is no mutex with id 1; mutexes lists them",
            choose_mutex(wanted).error_message());
  EXPECT_EQ(StatusCode::INVALID_ARGUMENT, choose_mutex(v1::MutexSelector()).error_code());
  selector.set_name("counter");
  EXPECT_EQ(StatusCode::NOT_FOUND, choose().error_code());
}

}  // namespace
}  // namespace oxpool::daemon::admin
