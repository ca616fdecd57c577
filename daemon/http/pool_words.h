// The words by which metrics and JSON call what is counted at a pool: one list each.
#pragma once

#include "shm/counters.h"
#include "shm/gate_word.h"
#include "shm/slot_word.h"

namespace oxpool::daemon::http {

struct CounterWord {
  const char* word;
  shm::Counter counter;
};

inline constexpr CounterWord kAcquireResults[] = {
    {"ok", shm::Counter::acquire_ok},
    {"timeout", shm::Counter::acquire_timeout},
    {"closed", shm::Counter::acquire_closed},
    {"saturated", shm::Counter::acquire_saturated},
};

// Acquires that ended otherwise.
inline constexpr CounterWord kAcquireFailures[] = {
    {"factory", shm::Counter::failed_factory},   {"max_waiting", shm::Counter::failed_max_waiting},
    {"deadlock", shm::Counter::failed_deadlock}, {"interrupted", shm::Counter::failed_interrupted},
    {"capacity", shm::Counter::failed_capacity},
};

// Close reasons are counted from the one behind kNone.
inline constexpr int kFirstCloseReason = static_cast<int>(shm::CloseReason::kNone) + 1;

inline constexpr shm::Gate kGates[] = {shm::Gate::kOpen, shm::Gate::kWait, shm::Gate::kFail,
                                       shm::Gate::kDrained};

}  // namespace oxpool::daemon::http
