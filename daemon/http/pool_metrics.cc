#include "daemon/http/pool_metrics.h"

#include <cstdint>
#include <limits>
#include <string>

#include "daemon/http/family.h"
#include "daemon/http/pool_words.h"
#include "daemon/utf8.h"
#include "shm/clock.h"
#include "shm/counters.h"
#include "shm/slot_word.h"

namespace oxpool::daemon::http {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using shm::Counter;

// One series a pool, labelled with its id alone.
struct PoolValue {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const PoolReport& pool, int64_t now_ns);
};

double counted(const PoolReport& pool, Counter counter) {
  return static_cast<double>(pool.sums[counter]);
}

constexpr PoolValue kPoolValues[] = {
    {"oxphp_shared_pool_count", kGauge, "Resources that exist: handed out or idle.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.size()); }},
    {"oxphp_shared_pool_size", kGauge, "The same as oxphp_shared_pool_count, under its older name.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.size()); }},
    {"oxphp_shared_pool_in_use", kGauge, "Resources that are handed out.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.in_use); }},
    {"oxphp_shared_pool_idle", kGauge, "Resources that wait for their next use.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.idle); }},
    {"oxphp_shared_pool_waiting", kGauge, "Acquires in the queue.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.waiting); }},
    {"oxpool_pool_minting", kGauge, "Units whose factory runs; they count against the cap.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.minting); }},
    {"oxpool_pool_closing", kGauge, "Units that are being closed; they count against the cap.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.closing); }},
    {"oxpool_pool_flagged", kGauge,
     "Idle resources whose owner is asked to close them and has not done so yet.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.flagged); }},
    {"oxpool_pool_gated", kGauge,
     "Workers that take no request because they have no resource and no unit is free.",
     [](const PoolReport& pool, int64_t) { return double(pool.gated); }},
    {"oxpool_pool_max_size", kGauge, "The cap in force.",
     [](const PoolReport& pool, int64_t) { return double(pool.counts.max_size); }},
    {"oxpool_pool_requested_max_size", kGauge,
     "The cap that workers ask for; an operator's stands above it.",
     [](const PoolReport& pool, int64_t) { return double(pool.requested_max_size); }},
    {"oxpool_pool_operator_max_size", kGauge, "The cap that an operator set; 0 if none did.",
     [](const PoolReport& pool, int64_t) { return double(pool.operator_max_size); }},
    {"oxpool_pool_disagreement", kGauge, "1 if workers asked for different caps or idle timeouts.",
     [](const PoolReport& pool, int64_t) { return double(pool.disagreed); }},
    {"oxpool_pool_workers", kGauge, "Workers that are attached to the pool.",
     [](const PoolReport& pool, int64_t) { return double(pool.workers); }},
    {"oxpool_pool_oldest_wait_seconds", kGauge,
     "For how long the first of the queue has waited; 0 if nobody waits.",
     [](const PoolReport& pool, int64_t now_ns) {
       return pool.head_since_ns == 0 ? 0.0 : seconds(now_ns - pool.head_since_ns);
     }},
    {"oxpool_pool_mints_total", kCounter, "Resources that factories made.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::mints); }},
    {"oxpool_pool_releases_total", kCounter, "Resources that came back.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::releases); }},
    {"oxpool_pool_hand_overs_total", kCounter,
     "Resources closed in one worker so that a waiting one could mint.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::hand_overs); }},
    {"oxpool_pool_overtakings_total", kCounter,
     "Releases that kept the resource although somebody waited.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::overtakings); }},
    {"oxpool_pool_reattached_total", kCounter,
     "Parked resources handed out again in a later request of their process. Reconnects per "
     "request are the rate of mints over that of mints and these.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::reattached); }},
    {"oxpool_pool_closed_asleep_total", kCounter,
     "Resources closed while their process slept between two requests.",
     [](const PoolReport& pool, int64_t) { return counted(pool, Counter::closed_asleep); }},
    {"oxpool_pool_starved_waits_total", kCounter,
     "Waits that began although another worker, which could not be reached, had an idle resource.",
     [](const PoolReport& pool, int64_t) { return double(pool.starved_waits); }},
    {"oxpool_pool_reserve", kGauge, "Units that are kept free rather than idle.",
     [](const PoolReport& pool, int64_t) { return double(pool.reserve); }},
    {"oxpool_pool_leaks_total", kCounter, "Resources that were reported as held for too long.",
     [](const PoolReport& pool, int64_t) { return double(pool.leaks); }},
};

// Labels of a pool, as text once for all of its series.
class Pools {
 public:
  explicit Pools(const HostReport& report) : report_(report) {
    ids_.reserve(report.pools.size());
    for (const PoolReport& pool : report.pools) ids_.push_back(std::to_string(pool.id));
  }
  size_t size() const { return ids_.size(); }
  int64_t now_ns() const { return report_.now_ns; }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i < ids_.size(); ++i) visit(ids_[i], report_.pools[i]);
  }

 private:
  const HostReport& report_;
  std::vector<std::string> ids_;
};

void add_info(const Pools& pools, std::vector<MetricFamily>* families) {
  MetricFamily& names = add_family(families, kGauge, "oxphp_shared_pool_info",
                                   "Always 1; the name of each pool.", pools.size());
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    add_value(names, {{"pool_id", id}, {"name", as_utf8(pool.name)}}, 1);
  });
  MetricFamily& namespaces = add_family(families, kGauge, "oxpool_pool_info",
                                        "Always 1; where each pool belongs.", pools.size());
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    add_value(namespaces,
              {{"pool_id", id},
               {"namespace", pool.namespace_name},
               {"rebalance_strategy", pool.rebalance_strategy()}},
              1);
  });
}

void add_values(const Pools& pools, std::vector<MetricFamily>* families) {
  for (const PoolValue& value : kPoolValues) {
    MetricFamily& family = add_family(families, value.type, value.name, value.help, pools.size());
    pools.for_each([&](const std::string& id, const PoolReport& pool) {
      add_value(family, {{"pool_id", id}}, value.value(pool, pools.now_ns()));
    });
  }
}

template <size_t kWords>
void add_counters(const Pools& pools, const CounterWord (&words)[kWords], const char* label,
                  const char* name, const char* help, std::vector<MetricFamily>* families) {
  MetricFamily& family = add_family(families, kCounter, name, help, pools.size() * kWords);
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    for (const CounterWord& word : words) {
      add_value(family, {{"pool_id", id}, {label, word.word}}, counted(pool, word.counter));
    }
  });
}

void add_evictions(const Pools& pools, std::vector<MetricFamily>* families) {
  MetricFamily& family =
      add_family(families, kCounter, "oxphp_shared_pool_evicted_total",
                 "Resources that were closed, by reason.", pools.size() * shm::kCloseReasonCount);
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    for (int reason = kFirstCloseReason; reason < shm::kCloseReasonCount; ++reason) {
      const char* word = shm::close_reason_text(static_cast<shm::CloseReason>(reason));
      add_value(family, {{"pool_id", id}, {"reason", word}},
                static_cast<double>(pool.sums.evicted[reason]));
    }
  });
}

void add_gates(const Pools& pools, std::vector<MetricFamily>* families) {
  MetricFamily& family = add_family(families, kGauge, "oxpool_pool_gate",
                                    "1 for the state that the pool's gate is in, 0 for the others.",
                                    pools.size() * std::size(kGates));
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    const shm::Gate now = pool.gate_at(pools.now_ns());
    for (const shm::Gate gate : kGates) {
      add_value(family, {{"pool_id", id}, {"gate", shm::gate_text(gate)}}, gate == now ? 1 : 0);
    }
  });
}

// `buckets` has one more than there are bounds.
template <size_t kBounds, size_t kBuckets>
void add_histogram(const Pools& pools, const int64_t (&bounds_ns)[kBounds],
                   uint64_t (shm::CounterSums::*buckets)[kBuckets], Counter sum, const char* name,
                   const char* help, std::vector<MetricFamily>* families) {
  static_assert(kBuckets == kBounds + 1);
  MetricFamily& family = add_family(families, MetricType::Histogram, name, help, pools.size());
  pools.for_each([&](const std::string& id, const PoolReport& pool) {
    prometheus::ClientMetric::Histogram& histogram =
        add_series(family, {{"pool_id", id}}).histogram;
    histogram.bucket.reserve(kBuckets);
    uint64_t count = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      count += (pool.sums.*buckets)[i];
      const double bound =
          i < kBounds ? seconds(bounds_ns[i]) : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back({count, bound});
    }
    histogram.sample_count = count;
    histogram.sample_sum = counted(pool, sum) / static_cast<double>(shm::kNanosPerSecond);
  });
}

}  // namespace

void add_pool_metrics(const HostReport& report, std::vector<MetricFamily>* families) {
  const Pools pools(report);
  add_info(pools, families);
  add_values(pools, families);
  add_counters(pools, kAcquireResults, "result", "oxphp_shared_pool_acquire_total",
               "Acquires, by result.", families);
  add_counters(pools, kAcquireFailures, "reason", "oxpool_acquire_failed_total",
               "Acquires that ended without a resource and without a result, by reason.", families);
  add_evictions(pools, families);
  add_gates(pools, families);
  add_histogram(pools, shm::kWaitBoundsNs, &shm::CounterSums::wait_buckets, Counter::wait_ns,
                "oxphp_shared_pool_wait_seconds",
                "For how long acquires waited; those that were served at once for 0.", families);
  add_histogram(pools, shm::kHoldBoundsNs, &shm::CounterSums::hold_buckets, Counter::hold_ns,
                "oxpool_pool_hold_seconds", "For how long resources were handed out.", families);
  add_histogram(pools, shm::kFactoryBoundsNs, &shm::CounterSums::factory_buckets,
                Counter::factory_ns, "oxpool_pool_factory_seconds",
                "How long factories took that made a resource.", families);
}

}  // namespace oxpool::daemon::http
