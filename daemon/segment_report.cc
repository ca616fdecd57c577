#include "daemon/segment_report.h"

#include <algorithm>

#include "shm/mutex_table.h"
#include "shm/pool_table.h"
#include "shm/unit_map.h"

namespace oxpool::daemon {

namespace {

template <typename Word>
auto get(const Word& word) {
  return word.load(std::memory_order_relaxed);
}

template <typename IsUsed>
TableUse use_of(const shm::SegmentView& view, shm::TableIndex table, uint32_t first,
                IsUsed is_used) {
  TableUse use;
  use.room = view.count(table) - std::min(first, view.count(table));
  for (uint32_t i = first; i < view.high_water(table); ++i) use.used += is_used(i) ? 1 : 0;
  return use;
}

}  // namespace

SegmentReport report_segment(std::string_view namespace_name, const shm::SegmentView& view) {
  SegmentReport report;
  report.namespace_name = namespace_name;
  report.bytes = view.bytes();
  const shm::SegmentHeader& header = view.header();
  report.broken = get(header.broken) != 0;
  report.processes = use_of(view, shm::kProcessTable, shm::kDaemonProcess + 1,
                            [&](uint32_t i) { return get(view.process(i)->incarnation) != 0; });
  report.lanes = use_of(view, shm::kLaneTable, shm::kDaemonLane + 1,
                        [&](uint32_t i) { return get(view.lane(i)->claim) != 0; });
  report.extra_tickets = use_of(view, shm::kTicketTable, view.count(shm::kLaneTable),
                                [&](uint32_t i) { return get(view.ticket(i)->owner) != 0; });
  report.pools =
      use_of(view, shm::kPoolTable, 0, [&](uint32_t i) { return shm::is_live(*view.pool(i)); });
  report.seats = use_of(view, shm::kSeatTable, 0, [&](uint32_t i) {
    return get(view.seat(i)->state) != static_cast<uint32_t>(shm::RecordState::kFree);
  });
  report.chunks = use_of(view, shm::kChunkTable, 0,
                         [&](uint32_t i) { return get(view.chunk(i)->pool_id) != 0; });
  report.mutexes =
      use_of(view, shm::kMutexTable, 0, [&](uint32_t i) { return shm::is_live(*view.mutex(i)); });
  report.mutex_seats = use_of(view, shm::kMutexSeatTable, 0, [&](uint32_t i) {
    return get(view.mutex_seat(i)->state) != static_cast<uint32_t>(shm::RecordState::kFree);
  });
  report.value_units = {shm::used_units(view), view.count(shm::kUnitTable)};
  report.burials = get(header.burials);
  report.repairs = get(header.repairs);
  report.leaks = get(header.leaks);
  report.deadlocks = get(header.deadlocks);
  report.pools_removed = get(header.pools_removed);
  report.operations_removed = get(header.operations_removed);
  report.mutexes_removed = get(header.mutexes_removed);
  report.mutex_operations_removed = get(header.mutex_operations_removed);
  return report;
}

}  // namespace oxpool::daemon
