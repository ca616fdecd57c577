// What the daemon tells of mutexes, whoever asks: read once, by one function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shm/inspection.h"
#include "shm/mutex_inspection.h"
#include "shm/segment.h"

namespace oxpool::daemon {

struct MutexReport {
  std::string namespace_name;
  uint32_t index = 0;  // its record
  uint64_t id = 0;     // unique on the host, among pools as well
  std::string name;    // any bytes; unique within the namespace
  bool given_name = false;
  bool recovers = false;   // a holder's death does not corrupt it
  bool removed = false;    // the name is free again: only who is attached still has it
  bool corrupted = false;  // never of a removed one: nobody waits for it to be made usable
  std::optional<shm::WorkerName> holder;
  uint32_t waiters = 0;
  shm::MutexSums sums;        // sums.seats: attached workers; sums.last_ns: 0 = never locked
  int64_t created_ns = 0;     // CLOCK_MONOTONIC, like all times here
  uint32_t value_bytes = 0;   // of the value as it is encoded
  uint64_t memory_bytes = 0;  // of the segment
};

// The segment's live mutexes in the order of their ids. One walk each over seats and tickets, no
// lock; safe on a segment that was scribbled on. Any thread that may read the segment.
std::vector<MutexReport> report_mutexes(std::string_view namespace_name,
                                        const shm::SegmentView& view, int64_t now_ns);

// The same of one mutex.
MutexReport report_mutex(std::string_view namespace_name, const shm::SegmentView& view,
                         const shm::MutexRecord& mutex, int64_t now_ns);

}  // namespace oxpool::daemon
