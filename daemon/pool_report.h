// What the daemon tells of pools, whoever asks: read once, by one function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shm/clock.h"
#include "shm/gate.h"
#include "shm/segment.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

struct PoolReport {
  std::string namespace_name;
  uint32_t index = 0;  // its record
  uint64_t id = 0;     // unique on the host
  std::string name;    // any bytes; unique within the namespace
  bool given_name = false;
  shm::PoolCounts counts;
  shm::CounterSums sums;

  // What its workers asked for (shm::PoolSettings), and what stands above it.
  uint32_t requested_max_size = 0;
  uint32_t operator_max_size = 0;  // 0 = unset
  uint64_t idle_timeout_ms = 0;    // 0 = never
  uint64_t max_lifetime_ms = 0;    // 0 = for ever
  uint64_t leak_after_ms = 0;      // 0 = never
  uint32_t patience_ms = 0;        // shm::kPatienceAuto = from the factory's time
  uint32_t close_wait_ms = 0;
  uint32_t min_idle = 0;
  uint32_t max_waiting = 0;  // shm::kNoLimit = any number
  bool strict = false;       // the pool itself, or the daemon for a pool that does not say
  bool persistent = false;
  bool accept_gate = false;
  bool disagreed = false;  // workers asked for different caps or idle timeouts

  shm::GateWord gate;         // as stored; open if it is over
  int64_t created_ns = 0;     // CLOCK_MONOTONIC, like all times here
  int64_t head_since_ns = 0;  // since when the first of the queue waits; 0 = nobody does
  uint32_t workers = 0;       // attached ones
  uint32_t gated = 0;         // that wait at the accept gate
  uint64_t leaks = 0;         // slots reported as held for too long
  uint64_t factory_mean_ns = 0;
  uint32_t reserve = 0;        // units that are kept free rather than idle
  uint64_t starved_waits = 0;  // began although another worker, not reached, had an idle one
  uint64_t memory_bytes = 0;   // of the segment

  // The word for the strategy in introspection (spec §6).
  const char* rebalance_strategy() const { return strict ? "strict" : "handover"; }
  shm::Gate gate_at(int64_t now_ns) const {
    return gate.over(now_ns / shm::kNanosPerMilli) ? shm::Gate::kOpen : gate.gate();
  }
  double utilization() const {
    return counts.max_size == 0 ? 0.0 : static_cast<double>(counts.in_use) / counts.max_size;
  }
};

// The segment's live pools in the order of their ids. One walk over slots and seats, no lock; safe
// on a segment that was scribbled on. Any thread that may read the segment.
std::vector<PoolReport> report_pools(std::string_view namespace_name, const shm::SegmentView& view,
                                     int64_t now_ns);

// The same of one pool, without a look at the others' slots.
PoolReport report_pool(std::string_view namespace_name, const shm::SegmentView& view,
                       const shm::PoolRecord& pool, int64_t now_ns);

// How many idle slots each worker ("PID/LANE") has of the pool.
std::map<std::string, uint32_t> idle_by_worker(const shm::SegmentView& view,
                                               const shm::PoolRecord& pool);

}  // namespace oxpool::daemon
