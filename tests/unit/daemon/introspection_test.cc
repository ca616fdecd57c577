#include "daemon/http/introspection.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/event.h"
#include "daemon/http/api.h"
#include "daemon/http/json.h"
#include "segment_fixture.h"
#include "shm/gate.h"
#include "shm/operator.h"
#include "shm/place.h"

namespace oxpool::daemon::http {
namespace {

using shm::SlotState;

class IntrospectionTest : public SegmentFixture {
 protected:
  IntrospectionTest() : heartbeat(100 * shm::kNanosPerMilli, shm::monotonic_ns()) {
    add_introspection(&router, store, preview_allowed);
    add_api(&router, store, heartbeat);
  }

  // PATH?QUERY → the answer's object; its status must be that.
  json::object get(const std::string& target, unsigned status = 200) {
    const size_t mark = std::min(target.find('?'), target.size());
    const std::string query = mark == target.size() ? "" : target.substr(mark + 1);
    const Response response = router.handle({target.substr(0, mark), query});
    EXPECT_EQ(status, response.status) << response.body;
    EXPECT_EQ("application/json", response.content_type);
    return json::parse(response.body).as_object();
  }
  std::string error(const std::string& target, unsigned status) {
    const json::object answer = get(target, status);
    EXPECT_EQ(1u, answer.size());
    return std::string(answer.at("error").as_string());
  }

  static std::string keys(const json::object& object) {
    std::string all;
    for (const auto& [key, value] : object) all += (all.empty() ? "" : ",") + std::string(key);
    return all;
  }

  std::atomic<bool> preview_allowed{true};
  Heartbeat heartbeat;
  Router router;
};

TEST_F(IntrospectionTest, Summary) {
  const TestWorker worker = attach();
  make_pool("p", worker.lane);
  make_pool("q", worker.lane);
  view().header().operations_removed.store(9);
  const json::object summary = get("/__ox_shared/summary");
  EXPECT_EQ("total_entries,total_bytes,by_type,limits,saturation", keys(summary));
  EXPECT_EQ(2, summary.at("total_entries"));
  const json::object& pools = summary.at("by_type").at("Pool").as_object();
  EXPECT_EQ("count,bytes,ops", keys(pools));
  EXPECT_EQ(2, pools.at("count"));
  EXPECT_EQ(9, pools.at("ops"));
  EXPECT_EQ(summary.at("total_bytes"), pools.at("bytes"));
  EXPECT_EQ(0, summary.at("by_type").at("Mutex").at("count"));
  EXPECT_EQ("max_entries,max_bytes", keys(summary.at("limits").as_object()));
  EXPECT_EQ(8 + 4, summary.at("limits").at("max_entries")) << "pools and mutexes";
  EXPECT_EQ(0.25, summary.at("saturation").at("entries"));
  EXPECT_GT(summary.at("saturation").at("bytes").as_double(), 0);
}

TEST_F(IntrospectionTest, EntriesInPages) {
  const TestWorker worker = attach();
  for (const char* name : {"a", "b", "c", "d", "e"}) make_pool(name, worker.lane);
  std::vector<int64_t> ids;
  std::string cursor;
  for (int pages = 1;; ++pages) {
    const json::object page = get("/__ox_shared/entries?limit=2" + cursor);
    EXPECT_EQ("items,next_cursor,total_matching", keys(page));
    EXPECT_EQ(5, page.at("total_matching"));
    for (const json::value& item : page.at("items").as_array()) {
      EXPECT_EQ("id,type,refcount,ops,mem_bytes,age_sec", keys(item.as_object()));
      ids.push_back(item.at("id").as_int64());
    }
    if (page.at("next_cursor").is_null()) {
      EXPECT_EQ(3, pages);
      break;
    }
    cursor = "&cursor=" + json::serialize(page.at("next_cursor"));
  }
  EXPECT_EQ((std::vector<int64_t>{1, 2, 3, 4, 5}), ids);
  EXPECT_TRUE(get("/__ox_shared/entries?limit=5").at("next_cursor").is_null());
  EXPECT_TRUE(get("/__ox_shared/entries?cursor=5").at("items").as_array().empty());
}

TEST_F(IntrospectionTest, BadParametersOfEntries) {
  EXPECT_EQ("parameter limit is \"501\"; it takes a number from 1 to 500",
            error("/__ox_shared/entries?limit=501", 400));
  error("/__ox_shared/entries?limit=0", 400);
  error("/__ox_shared/entries?cursor=-1", 400);
  error("/__ox_shared/entries?offset=1", 400);
}

TEST_F(IntrospectionTest, Entry) {
  const TestWorker worker = attach(4711);
  shm::PoolRecord& pool = make_pool("p\xff", worker.lane, 6);
  make_slot(pool, worker.lane, SlotState::kInUse);
  make_slot(pool, worker.lane, SlotState::kIdle);
  make_slot(pool, worker.lane, SlotState::kReserved);
  const json::object entry = get("/__ox_shared/entry?id=1");
  EXPECT_EQ("id,type,refcount,ops,mem_bytes,age_sec,type_specific", keys(entry));
  EXPECT_EQ("Pool", entry.at("type"));
  EXPECT_EQ(1, entry.at("refcount"));
  const json::object& specific = entry.at("type_specific").as_object();
  EXPECT_EQ(
      "name,count,size,in_use,idle,waiting,minting,closing,max_size,idle_by_thread,"
      "rebalance_strategy",
      keys(specific));
  EXPECT_EQ("p\xef\xbf\xbd", specific.at("name"));
  EXPECT_EQ(2, specific.at("count"));
  EXPECT_EQ(1, specific.at("minting"));
  EXPECT_EQ(6, specific.at("max_size"));
  EXPECT_EQ("handover", specific.at("rebalance_strategy"));
  EXPECT_EQ(1, specific.at("idle_by_thread").at("4711/" + std::to_string(worker.lane.lane())));
}

TEST_F(IntrospectionTest, SummaryOfMutexes) {
  const TestWorker worker = attach();
  shm::MutexRecord& mutex = make_mutex("m", worker.lane);
  make_pool("p", worker.lane);
  seat_at(mutex, worker.lane).acquires.store(5);
  view().header().mutex_operations_removed.store(2);
  const json::object summary = get("/__ox_shared/summary");
  EXPECT_EQ(2, summary.at("total_entries"));
  const json::object& mutexes = summary.at("by_type").at("Mutex").as_object();
  EXPECT_EQ(1, mutexes.at("count"));
  EXPECT_EQ(7, mutexes.at("ops"));
  EXPECT_EQ(
      summary.at("total_bytes").as_int64(),
      mutexes.at("bytes").as_int64() + summary.at("by_type").at("Pool").at("bytes").as_int64());
  EXPECT_EQ(0.25, summary.at("saturation").at("entries")) << "of the fuller table: 1 of 4 mutexes";
}

TEST_F(IntrospectionTest, PoolsAndMutexesAreEntriesOfOneList) {
  const TestWorker worker = attach();
  make_mutex("a", worker.lane);
  make_pool("b", worker.lane);
  make_mutex("c", worker.lane);
  std::string types;
  std::string cursor;
  for (int page = 0; page < 3; ++page) {
    const json::object answer = get("/__ox_shared/entries?limit=1" + cursor);
    EXPECT_EQ(3, answer.at("total_matching"));
    ASSERT_EQ(1u, answer.at("items").as_array().size());
    types += answer.at("items").at(0).at("type").as_string();
    types += " ";
    EXPECT_EQ(page == 2, answer.at("next_cursor").is_null());
    if (page < 2) cursor = "&cursor=" + std::to_string(answer.at("next_cursor").as_int64());
  }
  EXPECT_EQ("Mutex Pool Mutex ", types);
}

TEST_F(IntrospectionTest, EntryOfAMutex) {
  const TestWorker worker = attach(4711);
  shm::MutexRecord& mutex = make_mutex("m\xff", worker.lane);
  json::object entry = get("/__ox_shared/entry?id=1");
  EXPECT_EQ("id,type,refcount,ops,mem_bytes,age_sec,type_specific", keys(entry));
  EXPECT_EQ("Mutex", entry.at("type"));
  EXPECT_EQ(1, entry.at("refcount"));
  json::object specific = entry.at("type_specific").as_object();
  EXPECT_EQ("name,corrupted,waiters,last_acquire_ms,held_by_thread", keys(specific));
  EXPECT_EQ("m\xef\xbf\xbd", specific.at("name"));
  EXPECT_EQ(false, specific.at("corrupted"));
  EXPECT_EQ(0, specific.at("waiters"));
  EXPECT_TRUE(specific.at("last_acquire_ms").is_null()) << "nobody ever had it";
  EXPECT_TRUE(specific.at("held_by_thread").is_null());

  ASSERT_TRUE(shm::lock_if_open(mutex, worker.lane));
  seat_at(mutex, worker.lane).last_ns.store(shm::monotonic_ns() - 5 * shm::kNanosPerSecond);
  const TestWorker waiter = attach();
  shm::join_mutex(view(), mutex, {waiter.lane.lane(), waiter.lane, 0, shm::kNoDeadline});
  specific = get("/__ox_shared/entry?id=1").at("type_specific").as_object();
  EXPECT_EQ("4711/" + std::to_string(worker.lane.lane()),
            specific.at("held_by_thread").as_string());
  EXPECT_EQ(1, specific.at("waiters"));
  EXPECT_GE(specific.at("last_acquire_ms").as_int64(), 5000);
  EXPECT_LT(specific.at("last_acquire_ms").as_int64(), 60'000);
  seat_at(mutex, worker.lane).last_ns.store(INT64_MAX);
  specific = get("/__ox_shared/entry?id=1").at("type_specific").as_object();
  EXPECT_EQ(0, specific.at("last_acquire_ms")) << "scribbled: nothing is younger than now";
}

TEST_F(IntrospectionTest, PreviewOfAMutexIsItsValue) {
  const TestWorker worker = attach();
  make_mutex("int", worker.lane, "\x03\x54");
  make_mutex("text", worker.lane, "\x05\xc8\x01" + std::string(200, 'y'));
  make_mutex("nonsense", worker.lane, "\xfe");
  const json::object preview = get("/__ox_shared/preview?id=1");
  EXPECT_EQ("Mutex", preview.at("type"));
  EXPECT_EQ("42", preview.at("preview"));
  EXPECT_EQ("'" + std::string(200, 'y') + "'",
            get("/__ox_shared/preview?id=2").at("preview").as_string());
  const std::string damaged(get("/__ox_shared/preview?id=3").at("preview").as_string());
  EXPECT_NE(std::string::npos, damaged.find("damaged")) << damaged;
}

TEST_F(IntrospectionTest, NoSuchEntry) {
  for (const char* path : {"/__ox_shared/entry", "/__ox_shared/preview", "/api/v1/pool"}) {
    EXPECT_EQ("there is no entry with id 9007199254740991",
              error(std::string(path) + "?id=9007199254740991", 404));
    for (const char* bad : {"", "?id", "?id=0", "?id=-1", "?id=9007199254740992", "?id=1&id=1",
                            "?id=1&x=2", "?ID=1"}) {
      EXPECT_NE("", error(std::string(path) + bad, 400)) << bad;
    }
  }
}

TEST_F(IntrospectionTest, PreviewIsCutBetweenCharacters) {
  std::string name;
  while (name.size() < 254) name += "é";
  make_pool(name, attach().lane);
  const json::object preview = get("/__ox_shared/preview?id=1");
  EXPECT_EQ("id,type,preview", keys(preview));
  const std::string text(preview.at("preview").as_string());
  EXPECT_LE(text.size(), 256u);
  EXPECT_GE(text.size(), 255u);
  EXPECT_TRUE(text.ends_with("é"));
}

TEST_F(IntrospectionTest, PreviewsCanBeSwitchedOff) {
  make_pool("p", attach().lane);
  preview_allowed = false;
  EXPECT_EQ("previews are switched off (preview = false)", error("/__ox_shared/preview?id=1", 403));
}

TEST_F(IntrospectionTest, Types) {
  EXPECT_EQ(json::parse(R"({"types":[
                {"tag":30,"name":"Mutex","php_class":"OxPHP\\Shared\\Mutex"},
                {"tag":50,"name":"Pool","php_class":"OxPHP\\Shared\\Pool"}]})"),
            get("/__ox_shared/types"));
}

TEST_F(IntrospectionTest, PoolsForThePage) {
  const TestWorker worker = attach();
  shm::PoolRecord& pool = make_pool("p", worker.lane);
  make_pool("q", worker.lane);
  ASSERT_EQ(shm::PoolResult::kOk,
            shm::resize_pool(view(), pool, segment->locks(), 9, shm::kLockPatienceNs));
  shm::set_gate(view(), pool, segment->locks(), shm::Gate::kWait,
                shm::monotonic_ns() + 60 * shm::kNanosPerSecond);
  const json::object answer = get("/api/v1/pools");
  ASSERT_EQ(2u, answer.at("pools").as_array().size());
  const json::object& first = answer.at("pools").as_array()[0].as_object();
  EXPECT_EQ("p", first.at("name"));
  EXPECT_EQ("test", first.at("namespace"));
  EXPECT_EQ(9, first.at("cap").at("in_force"));
  EXPECT_EQ("operator", first.at("cap").at("source"));
  EXPECT_EQ(4, first.at("cap").at("requested"));
  EXPECT_EQ("wait", first.at("gate").at("state"));
  EXPECT_GT(first.at("gate").at("opens_in_ms").as_int64(), 50'000);
  EXPECT_TRUE(first.at("settings").at("patience_ms").is_null()) << "automatic";
  EXPECT_TRUE(first.at("oldest_wait_ms").is_null());
  EXPECT_EQ(17u, first.at("wait").at("buckets").as_array().size());
  EXPECT_EQ(16u, first.at("wait").at("bounds_ms").as_array().size());
  const json::object& second = answer.at("pools").as_array()[1].as_object();
  EXPECT_EQ("workers", second.at("cap").at("source"));
  EXPECT_TRUE(second.at("cap").at("operator").is_null());
  EXPECT_EQ("open", second.at("gate").at("state"));
}

TEST_F(IntrospectionTest, PoolForThePageNamesWhoHoldsIt) {
  const TestWorker worker = attach(4711);
  shm::PoolRecord& pool = make_pool("p", worker.lane);
  const int64_t since_ns = shm::monotonic_ns() - 3 * shm::kNanosPerSecond;
  shm::SlotRecord& slot = make_slot(pool, worker.lane, SlotState::kInUse, since_ns);
  slot.place.store(shm::note_place(view(), "/app/index.php:12"));
  make_slot(pool, worker.lane, SlotState::kIdle);
  const json::object answer = get("/api/v1/pool?id=1");
  const std::string name = "4711/" + std::to_string(worker.lane.lane());
  ASSERT_EQ(2u, answer.at("holders").as_array().size());
  const json::object& holder = answer.at("holders").as_array()[0].as_object();
  EXPECT_EQ(json::value(name), holder.at("worker"));
  EXPECT_EQ("in_use", holder.at("state"));
  EXPECT_EQ("/app/index.php:12", holder.at("place"));
  EXPECT_EQ("tester", holder.at("program"));
  EXPECT_GE(holder.at("since_ms").as_int64(), 3000);
  EXPECT_EQ("idle", answer.at("holders").as_array()[1].at("state"));
  EXPECT_EQ(1, answer.at("idle_by_worker").at(name));
  EXPECT_TRUE(answer.at("waiters").as_array().empty());
  EXPECT_EQ("p", answer.at("name"));
}

TEST_F(IntrospectionTest, EventsSince) {
  const auto last = get("/api/v1/events").at("last").as_int64();
  log_event(Level::kWarning, "slot leaked", {{"id", UINT64_MAX}, {"pool", "p\xff"}});
  const json::object answer = get("/api/v1/events?since=" + std::to_string(last));
  EXPECT_EQ(last + 1, answer.at("last").as_int64());
  ASSERT_EQ(1u, answer.at("events").as_array().size());
  const json::object& event = answer.at("events").as_array()[0].as_object();
  EXPECT_EQ("number,unix_ms,level,event,fields", keys(event));
  EXPECT_EQ("slot leaked", event.at("event"));
  EXPECT_EQ("warning", event.at("level"));
  EXPECT_EQ(UINT64_MAX, event.at("fields").at("id").as_uint64());
  EXPECT_EQ("p\xef\xbf\xbd", event.at("fields").at("pool"));
  EXPECT_TRUE(get("/api/v1/events?since=9007199254740991").at("events").as_array().empty());
}

TEST_F(IntrospectionTest, TheServer) {
  heartbeat.beat({.sessions = 3, .troubles = {"a trouble"}}, shm::monotonic_ns());
  view().header().mutexes_removed.store(3);
  const json::object answer = get("/api/v1/server");
  EXPECT_EQ(getpid(), answer.at("pid"));
  EXPECT_EQ(3, answer.at("sessions"));
  EXPECT_EQ("a trouble", answer.at("troubles").as_array()[0]);
  EXPECT_EQ("test", answer.at("namespaces").as_array()[0].at("namespace"));
  EXPECT_EQ(8, answer.at("namespaces").as_array()[0].at("tables").at("pools").at("room"));
  EXPECT_EQ(4, answer.at("namespaces").as_array()[0].at("tables").at("mutexes").at("room"));
  EXPECT_EQ(3, answer.at("namespaces").as_array()[0].at("mutexes_removed"));
}

}  // namespace
}  // namespace oxpool::daemon::http
