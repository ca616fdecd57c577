#include "daemon/ctl/json_output.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/ctl/tables.h"
#include "daemon/ctl/text.h"
#include "daemon/utf8.h"

namespace oxpool::ctl {

using boost::json::array;
using boost::json::object;

namespace {

void put_bytes(object* json, const std::string& key, const std::string& bytes) {
  const std::string text = daemon::as_utf8(bytes);
  (*json)[key] = text;
  if (text != bytes) (*json)[key + "_base64"] = base64(bytes);
}

object worker_json(const v1::Worker& worker) {
  object json{{"pid", worker.pid()},
              {"lane", worker.lane()},
              {"thread_id", worker.thread_id()},
              {"uid", worker.uid()}};
  put_bytes(&json, "program", worker.program());
  return json;
}

std::string slot_state_name(v1::SlotState state) {
  switch (state) {
    case v1::SLOT_STATE_MINTING:
      return "minting";
    case v1::SLOT_STATE_IN_USE:
      return "in_use";
    case v1::SLOT_STATE_IDLE:
      return "idle";
    case v1::SLOT_STATE_CLOSING:
      return "closing";
    default:
      return "unknown";
  }
}

object histogram_json(const v1::Histogram& histogram) {
  array bounds, counts;
  for (const uint64_t bound : histogram.bounds_us()) bounds.emplace_back(bound);
  for (const uint64_t count : histogram.counts()) counts.emplace_back(count);
  return {{"bounds_us", std::move(bounds)}, {"counts", std::move(counts)}};
}

object settings_json(const v1::Settings& settings) {
  object json{{"idle_timeout_ms", settings.idle_timeout_ms()},
              {"max_lifetime_ms", settings.max_lifetime_ms()},
              {"leak_after_ms", settings.leak_after_ms()},
              {"close_wait_ms", settings.close_wait_ms()},
              {"min_idle", settings.min_idle()},
              {"rebalance_strategy", settings.strict() ? "strict" : "handover"},
              {"persistent", settings.persistent()},
              {"accept_gate", settings.accept_gate()}};
  json["patience_ms"] = settings.has_patience_ms() ? boost::json::value(settings.patience_ms())
                                                   : boost::json::value(nullptr);
  json["max_waiting"] = settings.has_max_waiting() ? boost::json::value(settings.max_waiting())
                                                   : boost::json::value(nullptr);
  return json;
}

object counters_json(const v1::Counters& counters) {
  return {{"acquire_ok", counters.acquire_ok()},
          {"acquire_ok_waited", counters.acquire_ok_waited()},
          {"acquire_timeout", counters.acquire_timeout()},
          {"acquire_closed", counters.acquire_closed()},
          {"acquire_saturated", counters.acquire_saturated()},
          {"failed_factory", counters.failed_factory()},
          {"failed_max_waiting", counters.failed_max_waiting()},
          {"failed_deadlock", counters.failed_deadlock()},
          {"failed_interrupted", counters.failed_interrupted()},
          {"failed_capacity", counters.failed_capacity()},
          {"releases", counters.releases()},
          {"mints", counters.mints()},
          {"hand_overs", counters.hand_overs()},
          {"overtakings", counters.overtakings()},
          {"reattached", counters.reattached()},
          {"closed_asleep", counters.closed_asleep()},
          {"wait_us", counters.wait_us()},
          {"factory_us", counters.factory_us()},
          {"hold_us", counters.hold_us()}};
}

template <typename Answer>
object pool_reference(const Answer& answer) {
  object json{{"namespace", answer.namespace_()}, {"id", answer.pool_id()}};
  put_bytes(&json, "name", answer.pool_name());
  return json;
}

object table_use(const v1::TableUse& use) { return {{"used", use.used()}, {"room", use.room()}}; }

object namespace_json(const v1::Namespace& one) {
  return {{"name", one.name()},
          {"bytes", one.bytes()},
          {"broken", one.broken()},
          {"processes", table_use(one.processes())},
          {"lanes", table_use(one.lanes())},
          {"extra_tickets", table_use(one.extra_tickets())},
          {"pools", table_use(one.pools())},
          {"seats", table_use(one.seats())},
          {"chunks", table_use(one.chunks())},
          {"mutexes", table_use(one.mutexes())},
          {"mutex_seats", table_use(one.mutex_seats())},
          {"value_units", table_use(one.value_units())},
          {"burials", one.burials()},
          {"repairs", one.repairs()},
          {"leaks", one.leaks()},
          {"deadlocks", one.deadlocks()}};
}

}  // namespace

std::string gate_name(v1::Gate gate) {
  switch (gate) {
    case v1::GATE_OPEN:
      return "open";
    case v1::GATE_WAIT:
      return "wait";
    case v1::GATE_FAIL:
      return "fail";
    case v1::GATE_DRAINED:
      return "drained";
    default:
      return "unknown";
  }
}

object json_of(const v1::Pool& pool) {
  object json{{"namespace", pool.namespace_()}, {"id", pool.id()}};
  put_bytes(&json, "name", pool.name());
  const object rest{{"given_name", pool.given_name()},
                    {"in_use", pool.in_use()},
                    {"idle", pool.idle()},
                    {"flagged", pool.flagged()},
                    {"minting", pool.minting()},
                    {"closing", pool.closing()},
                    {"waiting", pool.waiting()},
                    {"size", pool.in_use() + pool.idle()},
                    {"max_size", pool.max_size()},
                    {"requested_max_size", pool.requested_max_size()},
                    {"operator_max_size", pool.operator_max_size()},
                    {"utilization", utilization(pool)},
                    {"gate", gate_name(pool.gate())},
                    {"gate_left_ms", pool.gate_left_ms()},
                    {"age_ms", pool.age_ms()},
                    {"oldest_wait_ms", pool.oldest_wait_ms()},
                    {"workers", pool.workers()},
                    {"leaks", pool.leaks()},
                    {"factory_mean_us", pool.factory_mean_us()},
                    {"disagreed", pool.disagreed()},
                    {"memory_bytes", pool.memory_bytes()},
                    {"settings", settings_json(pool.settings())},
                    {"counters", counters_json(pool.counters())}};
  for (const auto& entry : rest) json.insert(entry);
  return json;
}

array json_of(const google::protobuf::RepeatedPtrField<v1::Pool>& pools) {
  array json;
  for (const v1::Pool& pool : pools) json.push_back(json_of(pool));
  return json;
}

object json_of(const v1::GetPoolResponse& answer) {
  object json = json_of(answer.pool());
  object closed, idle;
  for (const auto& [reason, count] : answer.closed()) closed[reason] = count;
  for (const auto& [worker, count] : answer.idle_by_worker()) idle[worker] = count;
  json["closed"] = std::move(closed);
  json["wait"] = histogram_json(answer.wait());
  json["hold"] = histogram_json(answer.hold());
  json["factory"] = histogram_json(answer.factory());
  json["idle_by_worker"] = std::move(idle);
  return json;
}

object json_of(const v1::ListHoldersResponse& answer) {
  array holders;
  for (const v1::Holding& holding : answer.holdings()) {
    object json{{"slot", holding.slot()},         {"state", slot_state_name(holding.state())},
                {"since_ms", holding.since_ms()}, {"resource_age_ms", holding.resource_age_ms()},
                {"reason", holding.reason()},     {"worker", worker_json(holding.worker())}};
    put_bytes(&json, "place", holding.place());
    holders.push_back(std::move(json));
  }
  return {{"pool", pool_reference(answer)}, {"holders", std::move(holders)}};
}

object json_of(const v1::ListWaitersResponse& answer) {
  array waiters;
  for (const v1::Waiting& waiting : answer.waiting()) {
    object json{{"waited_ms", waiting.waited_ms()}, {"worker", worker_json(waiting.worker())}};
    json["left_ms"] =
        waiting.has_left_ms() ? boost::json::value(waiting.left_ms()) : boost::json::value(nullptr);
    put_bytes(&json, "place", waiting.place());
    waiters.push_back(std::move(json));
  }
  return {{"pool", pool_reference(answer)}, {"waiters", std::move(waiters)}};
}

object json_of(const v1::ListProcessesResponse& answer) {
  array processes;
  for (const v1::Process& process : answer.processes()) {
    object json{{"namespace", process.namespace_()},
                {"pid", process.pid()},
                {"uid", process.uid()},
                {"attached_ms", process.attached_ms()},
                {"lanes", process.lanes()},
                {"pools", process.pools()},
                {"in_use", process.in_use()},
                {"idle", process.idle()},
                {"waiting", process.waiting()}};
    put_bytes(&json, "program", process.program());
    processes.push_back(std::move(json));
  }
  return {{"processes", std::move(processes)}};
}

object json_of(const v1::ListMutexesResponse& answer) {
  array mutexes;
  for (const v1::Mutex& mutex : answer.mutexes()) {
    object json{{"namespace", mutex.namespace_()},    {"id", mutex.id()},
                {"corrupted", mutex.corrupted()},     {"removed", mutex.removed()},
                {"waiting", mutex.waiting()},         {"acquires", mutex.acquires()},
                {"contended", mutex.contended()},     {"workers", mutex.workers()},
                {"value_bytes", mutex.value_bytes()}, {"memory_bytes", mutex.memory_bytes()}};
    json["given_name"] = mutex.given_name();
    json["on_owner_death"] = mutex.recovers() ? "recover" : "corrupt";
    json["last_acquire_ms"] = mutex.has_last_acquire_ms()
                                  ? boost::json::value(mutex.last_acquire_ms())
                                  : boost::json::value(nullptr);
    json["holder"] = mutex.has_holder() ? boost::json::value(worker_json(mutex.holder()))
                                        : boost::json::value(nullptr);
    put_bytes(&json, "name", mutex.name());
    mutexes.push_back(std::move(json));
  }
  return {{"mutexes", std::move(mutexes)}};
}

object json_of(const v1::PoolsSnapshot& snapshot) {
  return {{"taken_unix_ms", snapshot.taken_unix_ms()},
          {"taken_us", snapshot.taken_us()},
          {"pools", json_of(snapshot.pools())}};
}

array json_of(const google::protobuf::RepeatedPtrField<v1::Unfinished>& unfinished) {
  array json;
  for (const v1::Unfinished& one : unfinished) {
    json.push_back(object{{"pool", pool_reference(one)},
                          {"worker", worker_json(one.worker())},
                          {"in_use", one.in_use()},
                          {"idle", one.idle()},
                          {"closing", one.closing()}});
  }
  return json;
}

object json_of(const v1::GetServerInfoResponse& info) {
  array troubles, namespaces;
  for (const std::string& trouble : info.troubles())
    troubles.emplace_back(daemon::as_utf8(trouble));
  for (const v1::Namespace& one : info.namespaces()) namespaces.push_back(namespace_json(one));
  return {{"version", info.version()},
          {"segment_layout", info.segment_layout()},
          {"pid", info.pid()},
          {"uid", info.uid()},
          {"runtime_dir", info.runtime_dir()},
          {"http", info.http()},
          {"uptime_ms", info.uptime_ms()},
          {"ready", info.ready()},
          {"troubles", std::move(troubles)},
          {"namespaces", std::move(namespaces)},
          {"directory_bytes", info.directory_bytes()},
          {"directory_free_bytes", info.directory_free_bytes()},
          {"loop_late_us", info.loop_late_us()},
          {"loop_late_max_us", info.loop_late_max_us()},
          {"sessions", info.sessions()},
          {"watchers", info.watchers()}};
}

std::string line_of(const boost::json::value& value) {
  return boost::json::serialize(value) + "\n";
}

}  // namespace oxpool::ctl
