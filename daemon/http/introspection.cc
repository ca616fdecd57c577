#include "daemon/http/introspection.h"

#include <algorithm>
#include <optional>
#include <string>

#include "daemon/host_report.h"
#include "daemon/http/json.h"
#include "daemon/http/object_list.h"
#include "daemon/http/object_lookup.h"
#include "daemon/http/request_error.h"
#include "daemon/utf8.h"
#include "shm/value.h"
#include "shm/value_text.h"

namespace oxpool::daemon::http {

namespace {

constexpr uint64_t kDefaultLimit = 100;
constexpr uint64_t kMostLimit = 500;
constexpr size_t kPreviewBytes = 256;

json::object common_part(const SharedObject& object, int64_t now_ns) {
  return {{"id", object.id},
          {"type", object.type->name},
          {"refcount", object.workers},
          {"ops", object.operations},
          {"mem_bytes", object.memory_bytes},
          {"age_sec", (now_ns - object.created_ns) / shm::kNanosPerSecond}};
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

json::object mutex_part(const MutexReport& mutex, int64_t now_ns) {
  json::value last_acquire_ms;
  if (mutex.sums.last_ns != 0) {
    last_acquire_ms = (now_ns - mutex.sums.last_ns) / shm::kNanosPerMilli;
  }
  json::value held_by;
  if (mutex.holder) held_by = json_text(mutex.holder->text());
  return {{"name", json_text(mutex.name)},
          {"corrupted", mutex.corrupted},
          {"waiters", mutex.waiters},
          {"last_acquire_ms", std::move(last_acquire_ms)},
          {"held_by_thread", std::move(held_by)}};
}

json::value summary(const HostReport& report) {
  const Saturation saturation = report.saturation();
  const ObjectTotals all = totals_of_all(report);
  json::object by_type;
  for (const ObjectType& type : kObjectTypes) {
    const ObjectTotals totals = totals_of(report, type);
    by_type[type.name] = {
        {"count", totals.count}, {"bytes", totals.bytes}, {"ops", totals.operations}};
  }
  return {{"total_entries", all.count},
          {"total_bytes", all.bytes},
          {"by_type", std::move(by_type)},
          {"limits", {{"max_entries", report.most_entries()}, {"max_bytes", report.most_bytes()}}},
          {"saturation", {{"entries", saturation.entries}, {"bytes", saturation.bytes}}}};
}

// A page begins behind the id that is its cursor: objects that come and go meanwhile neither repeat
// nor hide others.
json::value entries(const HostReport& report, uint64_t limit, uint64_t behind_id) {
  const std::vector<SharedObject> objects = list_objects(report);
  json::array items;
  json::value next_cursor;
  const auto first =
      std::upper_bound(objects.begin(), objects.end(), behind_id,
                       [](uint64_t id, const SharedObject& object) { return id < object.id; });
  for (auto object = first; object != objects.end(); ++object) {
    if (items.size() == limit) {
      next_cursor = std::prev(object)->id;
      break;
    }
    items.push_back(common_part(*object, report.now_ns));
  }
  return {{"items", std::move(items)},
          {"next_cursor", std::move(next_cursor)},
          {"total_matching", objects.size()}};
}

json::value entry(const SegmentStore& segments, uint64_t id) {
  json::object result;
  // The clock is read behind the report: nothing in it is younger.
  visit_object(
      segments, id,
      [&](const PoolReport& pool, const shm::SegmentView& view, const shm::PoolRecord& record) {
        result = common_part(object_of(pool), shm::monotonic_ns());
        result["type_specific"] = pool_part(pool, idle_by_worker(view, record));
      },
      [&](const MutexReport& mutex, const shm::SegmentView&, const shm::MutexRecord&) {
        const int64_t now_ns = shm::monotonic_ns();
        result = common_part(object_of(mutex), now_ns);
        result["type_specific"] = mutex_part(mutex, now_ns);
      });
  return result;
}

std::string value_preview(const shm::SegmentView& view, const shm::MutexRecord& record) {
  std::string bytes;
  shm::ValueWord word;
  if (!shm::copy_value(view, record, &bytes, &word)) return "(can not be read)";
  return shm::value_text(bytes, kPreviewBytes);
}

json::value preview(const SegmentStore& segments, uint64_t id) {
  const ObjectType* type = nullptr;
  std::string text;
  visit_object(
      segments, id,
      [&](const PoolReport& pool, const shm::SegmentView&, const shm::PoolRecord&) {
        const shm::PoolCounts& counts = pool.counts;
        type = &kPoolType;
        text = std::to_string(counts.in_use) + " in use, " + std::to_string(counts.idle) +
               " idle, " + std::to_string(counts.waiting) + " waiting, max " +
               std::to_string(counts.max_size) + ": " + as_utf8(pool.name);
      },
      [&](const MutexReport&, const shm::SegmentView& view, const shm::MutexRecord& record) {
        type = &kMutexType;
        text = value_preview(view, record);
      });
  return {{"id", id}, {"type", type->name}, {"preview", utf8_prefix(text, kPreviewBytes)}};
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
