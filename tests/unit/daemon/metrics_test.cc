#include "daemon/http/metrics.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "daemon/bus_guard.h"
#include "segment_fixture.h"
#include "shm/gate.h"
#include "shm/operator.h"

namespace oxpool::daemon::http {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using shm::Counter;
using shm::SlotState;

class MetricsTest : public SegmentFixture {
 protected:
  MetricsTest() : heartbeat(100 * shm::kNanosPerMilli, shm::monotonic_ns()) {
    BusGuard::install();
    add_metrics(&router, store, heartbeat);
  }

  // The scrape's lines, without comments: series → value.
  std::map<std::string, std::string> scrape() {
    const Response response = router.handle({"/metrics", ""});
    EXPECT_EQ(200u, response.status);
    EXPECT_EQ("text/plain; version=0.0.4; charset=utf-8", response.content_type);
    std::map<std::string, std::string> series;
    std::istringstream lines(response.body);
    for (std::string line; std::getline(lines, line);) {
      if (line[0] == '#') continue;
      const size_t space = line.rfind(' ');
      EXPECT_TRUE(series.emplace(line.substr(0, space), line.substr(space + 1)).second)
          << "twice: " << line;
    }
    return series;
  }

  shm::SeatRecord& seat_of(shm::OwnerId lane) {
    for (uint32_t i = 0; i < view().high_water(shm::kSeatTable); ++i) {
      if (view().seat(i)->owner.load() == lane.raw) return *view().seat(i);
    }
    throw std::logic_error("no seat");
  }

  Heartbeat heartbeat;
  Router router;
};

#define EXPECT_SERIES(value, name) \
  EXPECT_EQ(value, all.count(name) == 0 ? "(not there)" : all.at(name)) << (name)

TEST_F(MetricsTest, EverySeriesOfThePoolIsThereFromItsCreation) {
  make_pool("p", attach().lane);
  const auto all = scrape();
  for (const char* name : {"count", "size", "in_use", "idle", "waiting"}) {
    EXPECT_SERIES("0", std::string("oxphp_shared_pool_") + name + "{pool_id=\"1\"}");
  }
  for (const char* result : {"ok", "timeout", "closed", "saturated"}) {
    EXPECT_SERIES("0", std::string("oxphp_shared_pool_acquire_total{pool_id=\"1\",result=\"") +
                           result + "\"}");
  }
  for (const char* reason :
       {"idle_timeout", "evict", "shutdown", "reclaim", "handover", "lifetime", "drain", "validate",
        "reset", "discard", "request_end", "pool_dropped", "dead_owner"}) {
    EXPECT_SERIES("0", std::string("oxphp_shared_pool_evicted_total{pool_id=\"1\",reason=\"") +
                           reason + "\"}");
  }
  for (const char* bound : {"0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01",
                            "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"}) {
    EXPECT_SERIES("0", std::string("oxphp_shared_pool_wait_seconds_bucket{pool_id=\"1\",le=\"") +
                           bound + "\"}");
  }
  EXPECT_SERIES("0", "oxphp_shared_pool_wait_seconds_count{pool_id=\"1\"}");
  EXPECT_SERIES("0", "oxphp_shared_pool_wait_seconds_sum{pool_id=\"1\"}");
  EXPECT_SERIES("1", "oxphp_shared_pool_info{pool_id=\"1\",name=\"p\"}");
  EXPECT_SERIES("1", "oxphp_shared_objects_total{type=\"Pool\"}");
  EXPECT_SERIES("0", "oxphp_shared_operations_total{type=\"Pool\"}");
  EXPECT_SERIES("0", "oxphp_shared_deadlock_detected_total");
  EXPECT_SERIES("0.125", "oxphp_shared_capacity_saturation{kind=\"entries\"}");
}

TEST_F(MetricsTest, CountsAreThoseOfTheWords) {
  const TestWorker worker = attach();
  shm::PoolRecord& pool = make_pool("p", worker.lane, 8);
  for (int i = 0; i < 3; ++i) make_slot(pool, worker.lane, SlotState::kInUse);
  for (int i = 0; i < 2; ++i) make_slot(pool, worker.lane, SlotState::kIdle);
  make_slot(pool, worker.lane, SlotState::kReserved);
  shm::flag_all_idle(view(), pool, shm::CloseReason::kEvict);
  const auto all = scrape();
  EXPECT_SERIES("5", "oxphp_shared_pool_count{pool_id=\"1\"}");
  EXPECT_SERIES("5", "oxphp_shared_pool_size{pool_id=\"1\"}");
  EXPECT_SERIES("3", "oxphp_shared_pool_in_use{pool_id=\"1\"}");
  EXPECT_SERIES("2", "oxphp_shared_pool_idle{pool_id=\"1\"}");
  EXPECT_SERIES("2", "oxpool_pool_flagged{pool_id=\"1\"}");
  EXPECT_SERIES("0", "oxpool_pool_gated{pool_id=\"1\"}");
  EXPECT_SERIES("1", "oxpool_pool_minting{pool_id=\"1\"}");
  EXPECT_SERIES("8", "oxpool_pool_max_size{pool_id=\"1\"}");
  EXPECT_SERIES("1", "oxpool_pool_workers{pool_id=\"1\"}");
  EXPECT_SERIES("1", "oxpool_processes{namespace=\"test\"}");
  EXPECT_SERIES("1", "oxpool_table_records{namespace=\"test\",table=\"seats\"}");
  EXPECT_SERIES("32", "oxpool_table_capacity{namespace=\"test\",table=\"seats\"}");
}

TEST_F(MetricsTest, CountersAreThoseOfTheSeats) {
  const TestWorker worker = attach();
  make_pool("p", worker.lane);
  shm::CounterBlock& counts = seat_of(worker.lane).counts;
  const auto set = [&](Counter counter, uint64_t value) {
    counts.counters[static_cast<uint8_t>(counter)].store(value);
  };
  set(Counter::acquire_ok, 10);  // at once
  set(Counter::acquire_ok_waited, 2);
  set(Counter::acquire_timeout, 3);
  set(Counter::failed_deadlock, 4);
  set(Counter::hand_overs, 5);
  set(Counter::wait_ns, 1'500'000'000);
  counts.wait_buckets[1].store(2);
  counts.wait_buckets[shm::kWaitBucketCount - 1].store(3);
  counts.evicted[static_cast<uint8_t>(shm::CloseReason::kDeadOwner)].store(6);
  const auto all = scrape();
  EXPECT_SERIES("12", "oxphp_shared_pool_acquire_total{pool_id=\"1\",result=\"ok\"}");
  EXPECT_SERIES("3", "oxphp_shared_pool_acquire_total{pool_id=\"1\",result=\"timeout\"}");
  EXPECT_SERIES("4", "oxpool_acquire_failed_total{pool_id=\"1\",reason=\"deadlock\"}");
  EXPECT_SERIES("5", "oxpool_pool_hand_overs_total{pool_id=\"1\"}");
  EXPECT_SERIES("6", "oxphp_shared_pool_evicted_total{pool_id=\"1\",reason=\"dead_owner\"}");
  EXPECT_SERIES("10", "oxphp_shared_pool_wait_seconds_bucket{pool_id=\"1\",le=\"0.0001\"}");
  EXPECT_SERIES("12", "oxphp_shared_pool_wait_seconds_bucket{pool_id=\"1\",le=\"0.00025\"}");
  EXPECT_SERIES("12", "oxphp_shared_pool_wait_seconds_bucket{pool_id=\"1\",le=\"10\"}");
  EXPECT_SERIES("15", "oxphp_shared_pool_wait_seconds_bucket{pool_id=\"1\",le=\"+Inf\"}");
  EXPECT_SERIES("15", "oxphp_shared_pool_wait_seconds_count{pool_id=\"1\"}");
  EXPECT_SERIES("1.5", "oxphp_shared_pool_wait_seconds_sum{pool_id=\"1\"}");
  EXPECT_SERIES("12", "oxphp_shared_operations_total{type=\"Pool\"}");
}

TEST_F(MetricsTest, TheGateIsOneOfItsStates) {
  shm::PoolRecord& pool = make_pool("p", attach().lane);
  shm::set_gate(view(), pool, segment->locks(), shm::Gate::kFail, 0);
  const auto all = scrape();
  EXPECT_SERIES("1", "oxpool_pool_gate{pool_id=\"1\",gate=\"fail\"}");
  EXPECT_SERIES("0", "oxpool_pool_gate{pool_id=\"1\",gate=\"open\"}");
  EXPECT_SERIES("0", "oxpool_pool_gate{pool_id=\"1\",gate=\"drained\"}");
}

TEST_F(MetricsTest, NamesOfAnyBytesLeaveTheScrapeReadable) {
  make_pool("a\"b\\c\nd\xff\r é", attach().lane);
  const auto all = scrape();
  EXPECT_SERIES("1",
                "oxphp_shared_pool_info{pool_id=\"1\",name=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\r é\"}");
}

TEST_F(MetricsTest, TwoNamespacesSideBySide) {
  make_pool("p", attach().lane);
  NamespaceSegment* other = nullptr;
  ASSERT_FALSE(store.find_or_make("other", &other));
  segment = other;
  make_pool("p", attach().lane);
  const auto all = scrape();
  EXPECT_SERIES("1", "oxphp_shared_pool_info{pool_id=\"1\",name=\"p\"}");
  EXPECT_SERIES("1", "oxphp_shared_pool_info{pool_id=\"10000000001\",name=\"p\"}");
  EXPECT_SERIES("2", "oxphp_shared_objects_total{type=\"Pool\"}");
  EXPECT_SERIES("1", "oxpool_lanes{namespace=\"other\"}");
}

TEST_F(MetricsTest, AnIdThatSomebodyScribbledDoesNotSpoilTheScrape) {
  const TestWorker worker = attach();
  make_pool("p", worker.lane);
  make_pool("q", worker.lane).id.store(1);
  scrape();  // expects that nothing is there twice
}

TEST_F(MetricsTest, OperationsOutliveTheirPool) {
  view().header().operations_removed.store(40);
  const auto all = scrape();
  EXPECT_SERIES("40", "oxphp_shared_operations_total{type=\"Pool\"}");
  EXPECT_SERIES("0", "oxphp_shared_objects_total{type=\"Pool\"}");
}

TEST_F(MetricsTest, TheDaemonItself) {
  heartbeat.beat({.sessions = 7, .troubles = {"trouble"}}, shm::monotonic_ns());
  const auto all = scrape();
  EXPECT_SERIES("7", "oxpool_sessions");
  EXPECT_SERIES("0", "oxpool_ready");
  EXPECT_EQ(1u, all.count("oxpool_wakes_total"));
  EXPECT_EQ(1u, all.count("oxpool_loop_late_seconds"));
  EXPECT_GT(std::stod(all.at("oxpool_start_time_seconds")), 1.6e9);
  EXPECT_GT(std::stod(all.at("oxpool_resident_memory_bytes")), 1e6);
}

TEST_F(MetricsTest, ParametersAreRefused) {
  EXPECT_EQ(400u, router.handle({"/metrics", "collect=x"}).status);
}

// For the thread sanitizer, mostly.
TEST_F(MetricsTest, IsReadByAnotherThreadWhileEverythingComesAndGoes) {
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) scrape();
  });
  std::vector<TestWorker> workers;
  for (int i = 0; i < 10; ++i) {
    ASSERT_FALSE(store.find_or_make("n" + std::to_string(i), &segment));
    TestWorker& worker = workers.emplace_back(attach());
    shm::PoolRecord& pool = make_pool("p" + std::to_string(i), worker.lane);
    make_slot(pool, worker.lane, SlotState::kInUse);
    heartbeat.beat({.sessions = 1, .troubles = store.troubles()}, shm::monotonic_ns());
    if (i % 2 == 0) {  // broken, then removed
      ASSERT_EQ(0, truncate(runtime.segment(segment->name()).c_str(), 0));
      worker.die();
      store.check();
      store.check();
    }
  }
  done = true;
  reader.join();
  EXPECT_TRUE(store.troubles().empty());
}

const char* type_text(MetricType type) {
  return type == MetricType::Counter     ? "counter"
         : type == MetricType::Histogram ? "histogram"
                                         : "gauge";
}

TEST_F(MetricsTest, EverySeriesOfAMutexIsThereFromItsCreation) {
  const TestWorker worker = attach();
  make_mutex("m", worker.lane);
  const auto all = scrape();
  for (const char* name : {"waiters", "acquires_total", "contended_total", "corrupted"}) {
    EXPECT_SERIES("0", std::string("oxphp_shared_mutex_") + name + "{mutex_id=\"1\"}");
  }
  EXPECT_SERIES("1", "oxphp_shared_mutex_info{mutex_id=\"1\",name=\"m\"}");
  EXPECT_SERIES("1", "oxpool_mutex_info{mutex_id=\"1\",namespace=\"test\"}");
  EXPECT_SERIES("1", "oxphp_shared_objects_total{type=\"Mutex\"}");
  EXPECT_SERIES("0", "oxphp_shared_objects_total{type=\"Pool\"}");
}

TEST_F(MetricsTest, NumbersOfAMutex) {
  const TestWorker worker = attach();
  shm::MutexRecord& mutex = make_mutex("m", worker.lane);
  shm::MutexSeatRecord& seat = seat_at(mutex, worker.lane);
  seat.acquires.store(7);
  seat.contended.store(3);
  const TestWorker waiter = attach();
  ASSERT_TRUE(shm::lock_if_open(mutex, worker.lane));
  shm::join_mutex(view(), mutex, {waiter.lane.lane(), waiter.lane, 0, shm::kNoDeadline});
  auto all = scrape();
  EXPECT_SERIES("7", "oxphp_shared_mutex_acquires_total{mutex_id=\"1\"}");
  EXPECT_SERIES("3", "oxphp_shared_mutex_contended_total{mutex_id=\"1\"}");
  EXPECT_SERIES("1", "oxphp_shared_mutex_waiters{mutex_id=\"1\"}");
  EXPECT_SERIES("1", "oxpool_mutex_workers{mutex_id=\"1\"}");
  EXPECT_SERIES("7", "oxphp_shared_operations_total{type=\"Mutex\"}");
  EXPECT_SERIES("1", "oxpool_table_records{namespace=\"test\",table=\"mutexes\"}");
  EXPECT_SERIES("4", "oxpool_table_capacity{namespace=\"test\",table=\"mutexes\"}");
  EXPECT_SERIES("64", "oxpool_table_capacity{namespace=\"test\",table=\"value_units\"}");
  mutex.lock.store(shm::MutexWord::kCorrupted);
  all = scrape();
  EXPECT_SERIES("1", "oxphp_shared_mutex_corrupted{mutex_id=\"1\"}");
  mutex.lock.store(shm::MutexWord::kCorrupted | shm::MutexWord::kRemoved);
  all = scrape();
  EXPECT_SERIES("0", "oxphp_shared_mutex_corrupted{mutex_id=\"1\"}");
}

TEST_F(MetricsTest, ScribbledMutexesDoNoHarm) {
  const TestWorker worker = attach();
  make_pool("p", worker.lane);
  for (const char* name : {"a", "b", "c", "d"}) make_mutex(name, worker.lane);
  for (uint32_t i = 0; i < 4; ++i) {
    shm::MutexRecord& mutex = *view().mutex(i);
    mutex.id.store(i < 2 ? 1 : 77);  // a pool's, and one twice
    mutex.name_bytes.store(~0u);
    mutex.created_ns.store(INT64_MAX);
    mutex.lock.store(~uint64_t{0});
    mutex.value.store(~uint64_t{0});
    for (shm::Word64& run : mutex.runs) run.store(~uint64_t{0});
  }
  for (uint32_t i = 0; i < view().count(shm::kMutexSeatTable); ++i) {
    shm::MutexSeatRecord& seat = *view().mutex_seat(i);
    seat.mutex.store(~0u);
    seat.last_ns.store(INT64_MAX);
  }
  for (uint32_t i = 0; i < view().count(shm::kTicketTable); ++i) {
    view().ticket(i)->queue_mutex.store(i == 0 ? ~0u : i);
  }
  const auto all = scrape();  // which expects that no series is there twice
  EXPECT_SERIES("1", "oxpool_pool_workers{pool_id=\"1\"}");
  EXPECT_SERIES("1", "oxphp_shared_objects_total{type=\"Mutex\"}");
}

// `| NAME | type | labels | …` for each metric, and no line for anything else.
TEST_F(MetricsTest, EachStandsInTheReadme) {
  std::ifstream readme(OXPOOL_HTTP_README);
  std::map<std::string, std::string> told;
  const std::regex row(R"(\| `(ox\w+)` \| (\w+) \| ([^|]*) \|.*)");
  for (std::string line; std::getline(readme, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, row)) told[parts[1]] = parts[2].str() + " " + parts[3].str();
  }
  const TestWorker worker = attach();
  make_pool("p", worker.lane);
  make_mutex("m", worker.lane);
  std::map<std::string, std::string> made;
  for (const MetricFamily& family : HostCollectable(store, heartbeat).Collect()) {
    ASSERT_FALSE(family.metric.empty()) << family.name;
    ASSERT_FALSE(family.help.empty()) << family.name;
    std::string labels;
    for (const auto& label : family.metric[0].label) {
      labels += (labels.empty() ? "`" : ", `") + label.name + "`";
    }
    made[family.name] = std::string(type_text(family.type)) + " " + labels;
  }
  EXPECT_EQ(made, told);
}

}  // namespace
}  // namespace oxpool::daemon::http
