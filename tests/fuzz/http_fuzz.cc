// Any bytes as the target of a request: an answer of a known status, and JSON in which a refusal is
// a sentence. The first byte chooses a path, so that the rest meets the parameters.
#include <boost/json/parse.hpp>
#include <filesystem>

#include "daemon/config.h"
#include "daemon/heartbeat.h"
#include "daemon/http/api.h"
#include "daemon/http/health.h"
#include "daemon/http/introspection.h"
#include "daemon/http/metrics.h"
#include "daemon/http/parameters.h"
#include "daemon/http/request_error.h"
#include "daemon/runtime_dir.h"
#include "daemon/segment_store.h"
#include "shm/clock.h"
#include "shm/pool_table.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace oxpool;
using namespace oxpool::daemon;

Limits small_limits() {
  Limits limits;
  limits.tables = {.processes = 2,
                   .lanes = 2,
                   .extra_tickets = 0,
                   .pools = 4,
                   .seats = 2,
                   .chunks = 4,
                   .places = 2,
                   .mutexes = 2,
                   .mutex_seats = 2,
                   .value_bytes = 4096};
  return limits;
}

// Everything that is routed, over one namespace with two pools.
class Site {
 public:
  Site() : path_(fuzz::make_directory()), directory_(path_, false), segments_(directory_, limits_) {
    NamespaceSegment* segment = nullptr;
    FUZZ_CHECK(!segments_.find_or_make("fuzz", &segment));
    shm::TableLock lock(segment->view(), segment->locks(), shm::kLockPatienceNs);
    for (const char* name : {"pool", "\xff\"\n"}) {
      uint32_t index = 0;
      FUZZ_CHECK(shm::find_or_make_pool(lock, name, {}, shm::monotonic_ns(), &index) ==
                 shm::PoolResult::kOk);
    }
    http::add_health(&router_, heartbeat_);
    http::add_metrics(&router_, segments_, heartbeat_);
    http::add_introspection(&router_, segments_, preview_allowed_);
    http::add_api(&router_, segments_, heartbeat_);
  }
  ~Site() { std::filesystem::remove_all(path_); }

  http::Response get(const std::string& path, const std::string& query) const {
    return router_.handle({path, query});
  }

 private:
  const std::string path_;
  const Limits limits_ = small_limits();
  const std::atomic<bool> preview_allowed_{true};
  RuntimeDir directory_;
  SegmentStore segments_;
  Heartbeat heartbeat_{shm::kNanosPerSecond, shm::monotonic_ns() + 3600 * shm::kNanosPerSecond};
  http::Router router_;
};

constexpr const char* kPaths[] = {
    "/__ox_shared/entries", "/__ox_shared/entry", "/__ox_shared/preview", "/api/v1/pool",
    "/api/v1/events",       "/metrics",           "/__ox_shared/summary", "/healthz"};

void check(const http::Response& response) {
  FUZZ_CHECK(response.status == 200 || response.status == 400 || response.status == 404);
  if (response.content_type != "application/json") {
    FUZZ_CHECK(response.status == 200);
    return;
  }
  const auto answer = boost::json::parse(response.body);
  if (response.status != 200) FUZZ_CHECK(answer.at("error").as_string().size() > 10);
}

// What is taken is within its bounds.
void check_parameters(const std::string& query) {
  try {
    const auto given = http::Parameters::parse(query, {"id", "limit"});
    const auto id = given.number("id", 1, 500);
    FUZZ_CHECK(id.has_value() == given.text("id").has_value());
    if (!id) return;
    FUZZ_CHECK(*id >= 1 && *id <= 500 && given.required_number("id", 1, 500) == *id);
    FUZZ_CHECK(given.text("id")->find_first_not_of("0123456789") == std::string::npos);
  } catch (const http::RequestError& error) {
    FUZZ_CHECK(error.status() == 400);
    FUZZ_CHECK(std::string(error.what()).size() < 1000);  // quoting makes four of one byte
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Site site;
  if (size == 0) return 0;
  const std::string query(reinterpret_cast<const char*>(data + 1), size - 1);
  check(site.get(kPaths[data[0] % std::size(kPaths)], query));
  check(site.get(query, ""));
  check_parameters(query);
  return 0;
}
