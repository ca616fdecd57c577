// What the daemon tells of a whole segment: how full it is, and what has happened in its life.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shm/segment.h"

namespace oxpool::daemon {

struct TableUse {
  uint32_t used = 0;
  uint32_t room = 0;
};

struct SegmentReport {
  std::string namespace_name;
  uint64_t bytes = 0;
  bool broken = false;
  TableUse processes, lanes, extra_tickets, pools, seats, chunks, mutexes, mutex_seats,
      value_units;       // without the daemon's own
  uint64_t burials = 0;  // the rest: over the segment's life, see shm::SegmentHeader
  uint64_t repairs = 0;
  uint64_t leaks = 0;
  uint64_t deadlocks = 0;
  uint64_t pools_removed = 0;
  uint64_t operations_removed = 0;  // of removed pools
  uint64_t mutexes_removed = 0;
  uint64_t mutex_operations_removed = 0;
};

// The tables of a segment under the names that metrics, JSON and people have for them.
struct SegmentTable {
  const char* name;
  TableUse SegmentReport::*use;
};
inline constexpr SegmentTable kSegmentTables[] = {
    {"processes", &SegmentReport::processes},
    {"lanes", &SegmentReport::lanes},
    {"extra_tickets", &SegmentReport::extra_tickets},
    {"pools", &SegmentReport::pools},
    {"seats", &SegmentReport::seats},
    {"chunks", &SegmentReport::chunks},
    {"mutexes", &SegmentReport::mutexes},
    {"mutex_seats", &SegmentReport::mutex_seats},
    {"value_units", &SegmentReport::value_units},
};

// No lock; safe on a segment that was scribbled on. Any thread that may read the segment.
SegmentReport report_segment(std::string_view namespace_name, const shm::SegmentView& view);

}  // namespace oxpool::daemon
