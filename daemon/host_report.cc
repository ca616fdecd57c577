#include "daemon/host_report.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "shm/clock.h"

namespace oxpool::daemon {

namespace {

template <typename Items, typename Value>
uint64_t sum_of(const Items& items, Value value) {
  uint64_t sum = 0;
  for (const auto& item : items) sum += value(item);
  return sum;
}

uint64_t entry_bytes(uint64_t pools, uint64_t chunks) {
  return pools * sizeof(shm::PoolRecord) + chunks * sizeof(shm::ChunkRecord);
}

double ratio(uint64_t used, uint64_t room) {
  return room == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(room);
}

}  // namespace

HostReport report_host(const SegmentStore& segments) {
  HostReport report;
  report.now_ns = shm::monotonic_ns();
  segments.read([&](const std::string& name, const shm::SegmentView& view) {
    report.segments.push_back(report_segment(name, view));
    auto pools = report_pools(name, view, report.now_ns);
    std::move(pools.begin(), pools.end(), std::back_inserter(report.pools));
  });
  // Whoever scribbles on its own segment must not make two series of one name for all.
  const auto by_id = [](const PoolReport& a, const PoolReport& b) { return a.id < b.id; };
  const auto same_id = [](const PoolReport& a, const PoolReport& b) { return a.id == b.id; };
  std::stable_sort(report.pools.begin(), report.pools.end(), by_id);
  report.pools.erase(std::unique(report.pools.begin(), report.pools.end(), same_id),
                     report.pools.end());
  return report;
}

uint64_t HostReport::pool_bytes() const {
  return sum_of(pools, [](const PoolReport& pool) { return pool.memory_bytes; });
}

uint64_t HostReport::pool_operations() const {
  return sum_of(pools, [](const PoolReport& pool) { return shm::operations(pool.sums); }) +
         sum_of(segments, [](const SegmentReport& segment) { return segment.operations_removed; });
}

uint64_t HostReport::most_pools() const {
  return sum_of(segments, [](const SegmentReport& segment) { return segment.pools.room; });
}

uint64_t HostReport::most_bytes() const {
  return sum_of(segments, [](const SegmentReport& segment) {
    return entry_bytes(segment.pools.room, segment.chunks.room);
  });
}

uint64_t HostReport::deadlocks() const {
  return sum_of(segments, [](const SegmentReport& segment) { return segment.deadlocks; });
}

Saturation HostReport::saturation() const {
  Saturation most;
  for (const SegmentReport& segment : segments) {
    most.entries = std::max(most.entries, ratio(segment.pools.used, segment.pools.room));
    most.bytes = std::max(most.bytes, ratio(entry_bytes(segment.pools.used, segment.chunks.used),
                                            entry_bytes(segment.pools.room, segment.chunks.room)));
  }
  return most;
}

}  // namespace oxpool::daemon
