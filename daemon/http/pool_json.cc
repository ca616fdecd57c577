#include "daemon/http/pool_json.h"

#include <iterator>

#include "daemon/http/pool_words.h"
#include "daemon/http/quantile.h"
#include "shm/inspection.h"

namespace oxpool::daemon::http {

namespace {

using shm::Counter;

double ms(double nanos) { return nanos / static_cast<double>(shm::kNanosPerMilli); }

int64_t age_ms(int64_t since_ns, int64_t now_ns) {
  return (now_ns - since_ns) / shm::kNanosPerMilli;
}

// null for what has no limit.
template <typename Number>
json::value unless(Number none, Number value) {
  return value == none ? json::value() : json::value(value);
}

json::object cap(const PoolReport& pool) {
  const uint32_t by_operator = pool.operator_max_size;
  return {{"in_force", pool.counts.max_size},
          {"source", by_operator == 0 ? "workers" : "operator"},
          {"requested", pool.requested_max_size},
          {"operator", unless(0u, by_operator)},
          {"disagreement", pool.disagreed}};
}

json::object gate(const PoolReport& pool, int64_t now_ns) {
  const shm::Gate state = pool.gate_at(now_ns);
  const auto until_ms = static_cast<int64_t>(pool.gate.until_ms());
  const bool ends = state != shm::Gate::kOpen && until_ms != 0;
  return {
      {"state", shm::gate_text(state)},
      {"opens_in_ms", ends ? json::value(until_ms - now_ns / shm::kNanosPerMilli) : json::value()}};
}

json::object settings(const PoolReport& pool) {
  return {{"idle_timeout_ms", pool.idle_timeout_ms},
          {"max_lifetime_ms", pool.max_lifetime_ms},
          {"leak_after_ms", pool.leak_after_ms},
          {"patience_ms", unless(shm::kPatienceAuto, pool.patience_ms)},
          {"close_wait_ms", pool.close_wait_ms},
          {"min_idle", pool.min_idle},
          {"max_waiting", unless(shm::kNoLimit, pool.max_waiting)},
          {"rebalance_strategy", pool.rebalance_strategy()},
          {"persistent", pool.persistent},
          {"accept_gate", pool.accept_gate}};
}

template <size_t kWords>
json::object counted(const PoolReport& pool, const CounterWord (&words)[kWords]) {
  json::object object;
  for (const CounterWord& word : words) object[word.word] = pool.sums[word.counter];
  return object;
}

json::object evicted(const PoolReport& pool) {
  json::object object;
  for (int reason = kFirstCloseReason; reason < shm::kCloseReasonCount; ++reason) {
    const char* word = shm::close_reason_text(static_cast<shm::CloseReason>(reason));
    object[word] = pool.sums.evicted[reason];
  }
  return object;
}

json::object counters(const PoolReport& pool) {
  return {{"acquire", counted(pool, kAcquireResults)},
          {"acquire_failed", counted(pool, kAcquireFailures)},
          {"evicted", evicted(pool)},
          {"releases", pool.sums[Counter::releases]},
          {"mints", pool.sums[Counter::mints]},
          {"hand_overs", pool.sums[Counter::hand_overs]},
          {"overtakings", pool.sums[Counter::overtakings]},
          {"reattached", pool.sums[Counter::reattached]},
          {"closed_asleep", pool.sums[Counter::closed_asleep]},
          {"starved_waits", pool.starved_waits},
          {"leaks", pool.leaks}};
}

// Since the pool's creation. Whoever wants those of the last minute subtracts two answers' buckets.
template <size_t kBounds>
json::object histogram(const int64_t (&bounds_ns)[kBounds], const uint64_t (&counts)[kBounds + 1],
                       uint64_t sum_ns) {
  json::array bounds;
  json::array buckets;
  for (const int64_t bound_ns : bounds_ns) bounds.push_back(ms(static_cast<double>(bound_ns)));
  for (const uint64_t count : counts) buckets.push_back(count);
  return {{"p50_ms", ms(quantile(0.5, bounds_ns, counts))},
          {"p90_ms", ms(quantile(0.9, bounds_ns, counts))},
          {"p99_ms", ms(quantile(0.99, bounds_ns, counts))},
          {"sum_ms", ms(static_cast<double>(sum_ns))},
          {"bounds_ms", std::move(bounds)},
          {"buckets", std::move(buckets)}};
}

const char* state_text(shm::SlotState state) {
  static constexpr const char* kTexts[] = {"retired", "free", "granted", "minting",
                                           "in_use",  "idle", "closing"};
  const auto index = static_cast<size_t>(state);
  return index < std::size(kTexts) ? kTexts[index] : "unknown";
}

void add_worker(json::object* object, const shm::WorkerName& worker) {
  (*object)["worker"] = worker.text();
  (*object)["pid"] = worker.pid;
  (*object)["thread_id"] = worker.thread_id;
  (*object)["uid"] = worker.uid;
  (*object)["program"] = json_text(worker.program);
}

json::value place_or_null(const std::string& place) {
  return place.empty() ? json::value() : json::value(json_text(place));
}

}  // namespace

json::object pool_json(const PoolReport& pool, int64_t now_ns) {
  const shm::PoolCounts& counts = pool.counts;
  const shm::CounterSums& sums = pool.sums;
  const bool somebody_waits = pool.head_since_ns != 0;
  return {{"id", pool.id},
          {"name", json_text(pool.name)},
          {"given_name", pool.given_name},
          {"namespace", pool.namespace_name},
          {"count", counts.size()},
          {"in_use", counts.in_use},
          {"idle", counts.idle},
          {"waiting", counts.waiting},
          {"minting", counts.minting},
          {"closing", counts.closing},
          {"flagged", counts.flagged},
          {"max_size", counts.max_size},
          {"utilization", pool.utilization()},
          {"cap", cap(pool)},
          {"gate", gate(pool, now_ns)},
          {"settings", settings(pool)},
          {"workers", pool.workers},
          {"reserve", pool.reserve},
          {"age_ms", age_ms(pool.created_ns, now_ns)},
          {"oldest_wait_ms",
           somebody_waits ? json::value(age_ms(pool.head_since_ns, now_ns)) : json::value()},
          {"factory_mean_ms", ms(static_cast<double>(pool.factory_mean_ns))},
          {"mem_bytes", pool.memory_bytes},
          {"counters", counters(pool)},
          {"wait", histogram(shm::kWaitBoundsNs, sums.wait_buckets, sums[Counter::wait_ns])},
          {"hold", histogram(shm::kHoldBoundsNs, sums.hold_buckets, sums[Counter::hold_ns])},
          {"factory",
           histogram(shm::kFactoryBoundsNs, sums.factory_buckets, sums[Counter::factory_ns])}};
}

json::array holders_json(const shm::SegmentView& view, const shm::PoolRecord& pool,
                         int64_t now_ns) {
  json::array holders;
  for (const shm::Holding& holding : shm::list_holdings(view, pool, now_ns)) {
    json::object object{{"slot", holding.slot}, {"state", state_text(holding.state)}};
    add_worker(&object, holding.worker);
    object["since_ms"] = age_ms(holding.since_ns, now_ns);
    object["minted_ms"] =
        holding.minted_ns == 0 ? json::value() : json::value(age_ms(holding.minted_ns, now_ns));
    object["place"] = place_or_null(holding.place);
    object["reason"] = holding.flag == shm::CloseReason::kNone
                           ? json::value()
                           : json::value(shm::close_reason_text(holding.flag));
    holders.push_back(std::move(object));
  }
  return holders;
}

json::array waiters_json(const shm::SegmentView& view, const shm::PoolRecord& pool,
                         int64_t now_ns) {
  json::array waiters;
  for (const shm::Waiting& waiting : shm::list_waiting(view, pool, now_ns)) {
    json::object object;
    add_worker(&object, waiting.worker);
    object["since_ms"] = age_ms(waiting.since_ns, now_ns);
    object["deadline_in_ms"] = waiting.deadline_ns == shm::kNoDeadline
                                   ? json::value()
                                   : json::value(-age_ms(waiting.deadline_ns, now_ns));
    object["place"] = place_or_null(waiting.place);
    waiters.push_back(std::move(object));
  }
  return waiters;
}

}  // namespace oxpool::daemon::http
