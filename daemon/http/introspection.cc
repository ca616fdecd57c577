#include "daemon/http/introspection.h"

#include <algorithm>
#include <optional>
#include <string>

#include "daemon/host_report.h"
#include "daemon/http/json.h"
#include "daemon/http/object_types.h"
#include "daemon/http/pool_lookup.h"
#include "daemon/http/request_error.h"
#include "daemon/utf8.h"

namespace oxpool::daemon::http {

namespace {

constexpr uint64_t kDefaultLimit = 100;
constexpr uint64_t kMostLimit = 500;
constexpr size_t kPreviewBytes = 256;

json::object common_part(const PoolReport& pool, int64_t now_ns) {
  return {{"id", pool.id},
          {"type", kPoolType.name},
          {"refcount", pool.workers},
          {"ops", shm::operations(pool.sums)},
          {"mem_bytes", pool.memory_bytes},
          {"age_sec", (now_ns - pool.created_ns) / shm::kNanosPerSecond}};
}

json::object pool_part(const PoolReport& pool, const std::map<std::string, uint32_t>& idle) {
  const shm::PoolCounts& counts = pool.counts;
  return {{"name", json_text(pool.name)},
          {"count", counts.size()},
          {"size", counts.size()},
          {"in_use", counts.in_use},
          {"idle", counts.idle},
          {"waiting", counts.waiting},
          {"minting", counts.minting},
          {"closing", counts.closing},
          {"max_size", counts.max_size},
          {"idle_by_thread", json_numbers(idle)},
          {"rebalance_strategy", pool.rebalance_strategy()}};
}

json::value summary(const HostReport& report) {
  const Saturation saturation = report.saturation();
  json::object by_type;
  for (const ObjectType& type : kObjectTypes) {
    const bool is_pool = type.tag == kPoolType.tag;
    by_type[type.name] = {{"count", is_pool ? report.pools.size() : 0},
                          {"bytes", is_pool ? report.pool_bytes() : 0},
                          {"ops", is_pool ? report.pool_operations() : 0}};
  }
  return {{"total_entries", report.pools.size()},
          {"total_bytes", report.pool_bytes()},
          {"by_type", std::move(by_type)},
          {"limits", {{"max_entries", report.most_pools()}, {"max_bytes", report.most_bytes()}}},
          {"saturation", {{"entries", saturation.entries}, {"bytes", saturation.bytes}}}};
}

// A page begins behind the id that is its cursor: pools that come and go meanwhile neither repeat
// nor hide others.
json::value entries(const HostReport& report, uint64_t limit, uint64_t behind_id) {
  json::array items;
  json::value next_cursor;
  const auto first =
      std::upper_bound(report.pools.begin(), report.pools.end(), behind_id,
                       [](uint64_t id, const PoolReport& pool) { return id < pool.id; });
  for (auto pool = first; pool != report.pools.end(); ++pool) {
    if (items.size() == limit) {
      next_cursor = std::prev(pool)->id;
      break;
    }
    items.push_back(common_part(*pool, report.now_ns));
  }
  return {{"items", std::move(items)},
          {"next_cursor", std::move(next_cursor)},
          {"total_matching", report.pools.size()}};
}

json::value entry(const SegmentStore& segments, uint64_t id) {
  json::object result;
  visit_pool(
      segments, id,
      [&](const PoolReport& pool, const shm::SegmentView& view, const shm::PoolRecord& record) {
        result = common_part(pool, shm::monotonic_ns());
        result["type_specific"] = pool_part(pool, idle_by_worker(view, record));
      });
  return result;
}

json::value preview(const SegmentStore& segments, uint64_t id) {
  std::string text;
  visit_pool(segments, id,
             [&](const PoolReport& pool, const shm::SegmentView&, const shm::PoolRecord&) {
               const shm::PoolCounts& counts = pool.counts;
               text = std::to_string(counts.in_use) + " in use, " + std::to_string(counts.idle) +
                      " idle, " + std::to_string(counts.waiting) + " waiting, max " +
                      std::to_string(counts.max_size) + ": " + as_utf8(pool.name);
             });
  return {{"id", id}, {"type", kPoolType.name}, {"preview", utf8_prefix(text, kPreviewBytes)}};
}

json::value types() {
  json::array list;
  for (const ObjectType& type : kObjectTypes) {
    list.push_back({{"tag", type.tag}, {"name", type.name}, {"php_class", type.php_class}});
  }
  return {{"types", std::move(list)}};
}

}  // namespace

void add_introspection(Router* router, const SegmentStore& segments,
                       const std::atomic<bool>& preview_allowed) {
  router->add("/__ox_shared/summary", {}, [&segments](const Parameters&) {
    return json_response(summary(report_host(segments)));
  });
  router->add("/__ox_shared/entries", {"limit", "cursor"}, [&segments](const Parameters& given) {
    const uint64_t limit = given.number("limit", 1, kMostLimit).value_or(kDefaultLimit);
    const uint64_t cursor = given.number("cursor", 0, kMaxId).value_or(0);
    return json_response(entries(report_host(segments), limit, cursor));
  });
  router->add("/__ox_shared/entry", {"id"}, [&segments](const Parameters& given) {
    return json_response(entry(segments, required_id(given)));
  });
  router->add("/__ox_shared/preview", {"id"},
              [&segments, &preview_allowed](const Parameters& given) {
                const uint64_t id = required_id(given);
                if (!preview_allowed) {
                  throw RequestError(403, "previews are switched off (preview = false)");
                }
                return json_response(preview(segments, id));
              });
  router->add("/__ox_shared/types", {}, [](const Parameters&) { return json_response(types()); });
}

}  // namespace oxpool::daemon::http
