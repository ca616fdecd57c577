// What is counted per pool: one list defines each counter, its place in the record and its text.
#pragma once

#include <cstdint>

#include "shm/slot_word.h"

namespace oxpool::shm {

// Counters of one seat (a lane's place at a pool) and, folded, of the lanes that left.
// X(symbol, help). Units are in the name; what has none is a number of events.
#define OXPOOL_COUNTERS(X)                                                              \
  X(acquire_ok, "acquires that were served")                                            \
  X(acquire_ok_waited, "acquires that were served after they had waited")               \
  X(acquire_timeout, "acquires that ran into their deadline")                           \
  X(acquire_closed, "acquires refused because the pool was paused, drained or dropped") \
  X(acquire_saturated, "tryAcquire calls that found the pool full")                     \
  X(failed_factory, "acquires that ended because the factory failed")                   \
  X(failed_max_waiting, "acquires refused because too many were waiting")               \
  X(failed_deadlock, "acquires that would have waited for their own thread")            \
  X(failed_interrupted, "waits ended by a signal handler, a time limit or a cancel")    \
  X(failed_capacity, "acquires that found no room in the segment")                      \
  X(releases, "slots that came back")                                                   \
  X(mints, "resources that a factory made")                                             \
  X(factory_ns, "time spent in factories")                                              \
  X(hold_ns, "time for which slots were out, by a clock of some milliseconds")          \
  X(hand_overs, "slots closed here so that a waiter could mint there")                  \
  X(overtakings, "releases that kept their slot although somebody waited")              \
  X(wait_ns, "time spent waiting")                                                      \
  X(reattached, "parked slots handed out again in a later request of their process")    \
  X(closed_asleep, "slots closed while their owner slept between two requests")

enum class Counter : uint8_t {
#define X(symbol, help) symbol,
  OXPOOL_COUNTERS(X)
#undef X
};
#define X(symbol, help) +1
inline constexpr int kCounterCount = 0 OXPOOL_COUNTERS(X);
#undef X

// Upper bounds of the wait histogram in nanoseconds; one more bucket takes the rest (spec §6).
inline constexpr int64_t kWaitBoundsNs[] = {
    100'000,       250'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000,   250'000'000, 500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};
inline constexpr int kWaitBucketCount = 17;
static_assert(sizeof(kWaitBoundsNs) / sizeof(kWaitBoundsNs[0]) + 1 == kWaitBucketCount);

// Of the hold histogram. The clock behind it ticks every few milliseconds: shorter holds are in the
// first bucket or, when a tick fell into them, in that of a tick.
inline constexpr int64_t kHoldBoundsNs[] = {
    1'000'000,     5'000'000,     10'000'000,     50'000'000,     100'000'000,    500'000'000,
    1'000'000'000, 5'000'000'000, 10'000'000'000, 60'000'000'000, 300'000'000'000};
inline constexpr int kHoldBucketCount = 12;
static_assert(sizeof(kHoldBoundsNs) / sizeof(kHoldBoundsNs[0]) + 1 == kHoldBucketCount);

// Of the factory histogram.
inline constexpr int64_t kFactoryBoundsNs[] = {
    100'000,     1'000'000,   5'000'000,     10'000'000,    25'000'000,    50'000'000,
    100'000'000, 250'000'000, 1'000'000'000, 2'500'000'000, 10'000'000'000};
inline constexpr int kFactoryBucketCount = 12;
static_assert(sizeof(kFactoryBoundsNs) / sizeof(kFactoryBoundsNs[0]) + 1 == kFactoryBucketCount);

template <int kBounds>
constexpr int bucket_of(const int64_t (&bounds_ns)[kBounds], int64_t value_ns) {
  int bucket = 0;
  while (bucket < kBounds && value_ns > bounds_ns[bucket]) ++bucket;
  return bucket;
}
constexpr int wait_bucket(int64_t waited_ns) { return bucket_of(kWaitBoundsNs, waited_ns); }
constexpr int hold_bucket(int64_t held_ns) { return bucket_of(kHoldBoundsNs, held_ns); }
constexpr int factory_bucket(int64_t took_ns) { return bucket_of(kFactoryBoundsNs, took_ns); }

// Calls visit(a, b, …) for the corresponding numbers of blocks of counters (CounterBlock,
// CounterSums): the one place that knows which arrays a block has.
template <typename Visit, typename... Blocks>
void zip_counters(Visit visit, Blocks&... blocks) {
  for (int i = 0; i < kCounterCount; ++i) visit(blocks.counters[i]...);
  for (int i = 0; i < kCloseReasonCount; ++i) visit(blocks.evicted[i]...);
  for (int i = 0; i < kWaitBucketCount; ++i) visit(blocks.wait_buckets[i]...);
  for (int i = 0; i < kHoldBucketCount; ++i) visit(blocks.hold_buckets[i]...);
  for (int i = 0; i < kFactoryBucketCount; ++i) visit(blocks.factory_buckets[i]...);
}

}  // namespace oxpool::shm
