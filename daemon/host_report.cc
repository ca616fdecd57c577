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

uint64_t pool_bytes(uint64_t pools, uint64_t chunks) {
  return pools * sizeof(shm::PoolRecord) + chunks * sizeof(shm::ChunkRecord);
}

uint64_t mutex_bytes(const SegmentReport& segment, uint32_t TableUse::*number) {
  return segment.mutexes.*number * sizeof(shm::MutexRecord) +
         segment.mutex_seats.*number * sizeof(shm::MutexSeatRecord) +
         uint64_t{segment.value_units.*number} * shm::kUnitBytes;
}

double ratio(uint64_t used, uint64_t room) {
  return room == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(room);
}

double ratio(const TableUse& use) { return ratio(use.used, use.room); }

// Whoever scribbles on its own segment must not make two series of one name for all.
template <typename Report>
void keep_first_of_each_id(std::vector<Report>* reports) {
  std::stable_sort(reports->begin(), reports->end(),
                   [](const Report& a, const Report& b) { return a.id < b.id; });
  reports->erase(std::unique(reports->begin(), reports->end(),
                             [](const Report& a, const Report& b) { return a.id == b.id; }),
                 reports->end());
}

bool has_id(const std::vector<PoolReport>& pools, uint64_t id) {
  const auto found =
      std::lower_bound(pools.begin(), pools.end(), id,
                       [](const PoolReport& pool, uint64_t wanted) { return pool.id < wanted; });
  return found != pools.end() && found->id == id;
}

}  // namespace

HostReport report_host(const SegmentStore& segments) {
  HostReport report;
  report.now_ns = shm::monotonic_ns();
  segments.read([&](const std::string& name, const shm::SegmentView& view) {
    report.segments.push_back(report_segment(name, view));
    auto pools = report_pools(name, view, report.now_ns);
    std::move(pools.begin(), pools.end(), std::back_inserter(report.pools));
    auto mutexes = report_mutexes(name, view, report.now_ns);
    std::move(mutexes.begin(), mutexes.end(), std::back_inserter(report.mutexes));
  });
  keep_first_of_each_id(&report.pools);
  keep_first_of_each_id(&report.mutexes);
  std::erase_if(report.mutexes,
                [&](const MutexReport& mutex) { return has_id(report.pools, mutex.id); });
  return report;
}

ObjectTotals HostReport::pool_totals() const {
  return {pools.size(), sum_of(pools, [](const PoolReport& pool) { return pool.memory_bytes; }),
          sum_of(pools, [](const PoolReport& pool) { return shm::operations(pool.sums); }) +
              sum_of(segments,
                     [](const SegmentReport& segment) { return segment.operations_removed; })};
}

ObjectTotals HostReport::mutex_totals() const {
  return {
      mutexes.size(), sum_of(mutexes, [](const MutexReport& mutex) { return mutex.memory_bytes; }),
      sum_of(mutexes, [](const MutexReport& mutex) { return mutex.sums.acquires; }) +
          sum_of(segments,
                 [](const SegmentReport& segment) { return segment.mutex_operations_removed; })};
}

uint64_t HostReport::most_entries() const {
  return sum_of(segments, [](const SegmentReport& segment) {
    return uint64_t{segment.pools.room} + segment.mutexes.room;
  });
}

uint64_t HostReport::most_bytes() const {
  return sum_of(segments, [](const SegmentReport& segment) {
    return pool_bytes(segment.pools.room, segment.chunks.room) +
           mutex_bytes(segment, &TableUse::room);
  });
}

uint64_t HostReport::deadlocks() const {
  return sum_of(segments, [](const SegmentReport& segment) { return segment.deadlocks; });
}

Saturation HostReport::saturation() const {
  Saturation most;
  for (const SegmentReport& segment : segments) {
    most.entries = std::max({most.entries, ratio(segment.pools), ratio(segment.mutexes)});
    most.bytes = std::max({most.bytes,
                           ratio(pool_bytes(segment.pools.used, segment.chunks.used),
                                 pool_bytes(segment.pools.room, segment.chunks.room)),
                           ratio(segment.value_units)});
  }
  return most;
}

}  // namespace oxpool::daemon
