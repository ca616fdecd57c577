#include "daemon/admin/messages.h"

#include <algorithm>

#include "shm/layout.h"

namespace oxpool::daemon::admin {

namespace {

constexpr int64_t kNanosPerMicro = 1000;

// Times in a segment are not trusted: nothing is older than the clock or younger than now.
uint64_t ms_since(int64_t then_ns, int64_t now_ns) {
  return static_cast<uint64_t>(std::max<int64_t>(now_ns - then_ns, 0) / shm::kNanosPerMilli);
}

// At least 1: 0 says that it does not open by itself.
uint64_t gate_left_ms(uint64_t until_ms, int64_t now_ns) {
  const auto now_ms = static_cast<uint64_t>(now_ns / shm::kNanosPerMilli);
  return until_ms > now_ms + 1 ? until_ms - now_ms - 1 : 1;
}

v1::SlotState state_of(shm::SlotState state) {
  switch (state) {
    case shm::SlotState::kGranted:
    case shm::SlotState::kReserved:
      return v1::SLOT_STATE_MINTING;
    case shm::SlotState::kInUse:
      return v1::SLOT_STATE_IN_USE;
    case shm::SlotState::kIdle:
      return v1::SLOT_STATE_IDLE;
    case shm::SlotState::kClosing:
      return v1::SLOT_STATE_CLOSING;
    default:
      return v1::SLOT_STATE_UNSPECIFIED;
  }
}

void fill_settings(const PoolReport& report, v1::Settings* settings) {
  settings->set_idle_timeout_ms(report.idle_timeout_ms);
  settings->set_max_lifetime_ms(report.max_lifetime_ms);
  settings->set_leak_after_ms(report.leak_after_ms);
  if (report.patience_ms != shm::kPatienceAuto) settings->set_patience_ms(report.patience_ms);
  settings->set_close_wait_ms(report.close_wait_ms);
  settings->set_min_idle(report.min_idle);
  if (report.max_waiting != shm::kNoLimit) settings->set_max_waiting(report.max_waiting);
  settings->set_strict(report.strict);
  settings->set_persistent(report.persistent);
  settings->set_accept_gate(report.accept_gate);
}

void fill_counters(const shm::CounterSums& sums, v1::Counters* counters) {
  using shm::Counter;
  counters->set_acquire_ok(sums[Counter::acquire_ok]);
  counters->set_acquire_ok_waited(sums[Counter::acquire_ok_waited]);
  counters->set_acquire_timeout(sums[Counter::acquire_timeout]);
  counters->set_acquire_closed(sums[Counter::acquire_closed]);
  counters->set_acquire_saturated(sums[Counter::acquire_saturated]);
  counters->set_failed_factory(sums[Counter::failed_factory]);
  counters->set_failed_max_waiting(sums[Counter::failed_max_waiting]);
  counters->set_failed_deadlock(sums[Counter::failed_deadlock]);
  counters->set_failed_interrupted(sums[Counter::failed_interrupted]);
  counters->set_failed_capacity(sums[Counter::failed_capacity]);
  counters->set_releases(sums[Counter::releases]);
  counters->set_mints(sums[Counter::mints]);
  counters->set_hand_overs(sums[Counter::hand_overs]);
  counters->set_overtakings(sums[Counter::overtakings]);
  counters->set_wait_us(sums[Counter::wait_ns] / kNanosPerMicro);
  counters->set_factory_us(sums[Counter::factory_ns] / kNanosPerMicro);
  counters->set_reattached(sums[Counter::reattached]);
  counters->set_closed_asleep(sums[Counter::closed_asleep]);
  counters->set_hold_us(sums[Counter::hold_ns] / kNanosPerMicro);
}

template <int kBounds, int kBuckets>
void fill_histogram(const int64_t (&bounds_ns)[kBounds], const uint64_t (&buckets)[kBuckets],
                    v1::Histogram* histogram) {
  static_assert(kBounds + 1 == kBuckets);
  for (const int64_t bound_ns : bounds_ns) {
    histogram->add_bounds_us(static_cast<uint64_t>(bound_ns / kNanosPerMicro));
  }
  for (const uint64_t count : buckets) histogram->add_counts(count);
}

void fill(const TableUse& use, v1::TableUse* message) {
  message->set_used(use.used);
  message->set_room(use.room);
}

}  // namespace

v1::Gate gate_of(shm::Gate gate) {
  switch (gate) {
    case shm::Gate::kOpen:
      return v1::GATE_OPEN;
    case shm::Gate::kWait:
      return v1::GATE_WAIT;
    case shm::Gate::kFail:
      return v1::GATE_FAIL;
    case shm::Gate::kDrained:
      return v1::GATE_DRAINED;
  }
  return v1::GATE_UNSPECIFIED;
}

void fill(const PoolReport& report, int64_t now_ns, v1::Pool* message) {
  message->set_namespace_(report.namespace_name);
  message->set_id(report.id);
  message->set_name(report.name);
  message->set_given_name(report.given_name);
  message->set_in_use(report.counts.in_use);
  message->set_idle(report.counts.idle);
  message->set_minting(report.counts.minting);
  message->set_closing(report.counts.closing);
  message->set_waiting(report.counts.waiting);
  message->set_max_size(report.counts.max_size);
  message->set_flagged(report.counts.flagged);
  message->set_requested_max_size(report.requested_max_size);
  message->set_operator_max_size(report.operator_max_size);
  const shm::Gate gate = report.gate_at(now_ns);
  message->set_gate(gate_of(gate));
  if (gate != shm::Gate::kOpen && report.gate.until_ms() != 0) {
    message->set_gate_left_ms(gate_left_ms(report.gate.until_ms(), now_ns));
  }
  message->set_age_ms(ms_since(report.created_ns, now_ns));
  if (report.head_since_ns != 0) {
    message->set_oldest_wait_ms(ms_since(report.head_since_ns, now_ns));
  }
  message->set_workers(report.workers);
  message->set_leaks(report.leaks);
  message->set_factory_mean_us(report.factory_mean_ns / kNanosPerMicro);
  message->set_disagreed(report.disagreed);
  message->set_memory_bytes(report.memory_bytes);
  message->set_reserve(report.reserve);
  message->set_starved_waits(report.starved_waits);
  fill_settings(report, message->mutable_settings());
  fill_counters(report.sums, message->mutable_counters());
}

void fill(const PoolReport& report, int64_t now_ns, v1::GetPoolResponse* message) {
  fill(report, now_ns, message->mutable_pool());
  for (int reason = 1; reason < shm::kCloseReasonCount; ++reason) {
    const char* text = shm::close_reason_text(static_cast<shm::CloseReason>(reason));
    (*message->mutable_closed())[text] = report.sums.evicted[reason];
  }
  fill_histogram(shm::kWaitBoundsNs, report.sums.wait_buckets, message->mutable_wait());
  fill_histogram(shm::kHoldBoundsNs, report.sums.hold_buckets, message->mutable_hold());
  fill_histogram(shm::kFactoryBoundsNs, report.sums.factory_buckets, message->mutable_factory());
}

void fill(const MutexReport& report, int64_t now_ns, v1::Mutex* message) {
  message->set_namespace_(report.namespace_name);
  message->set_id(report.id);
  message->set_name(report.name);
  message->set_given_name(report.given_name);
  message->set_recovers(report.recovers);
  message->set_removed(report.removed);
  message->set_corrupted(report.corrupted);
  message->set_waiting(report.waiters);
  if (report.holder) fill(*report.holder, message->mutable_holder());
  if (report.sums.last_ns != 0) {
    message->set_last_acquire_ms(ms_since(report.sums.last_ns, now_ns));
  }
  message->set_acquires(report.sums.acquires);
  message->set_contended(report.sums.contended);
  message->set_workers(report.sums.seats);
  message->set_value_bytes(report.value_bytes);
  message->set_memory_bytes(report.memory_bytes);
}

void fill(const SegmentReport& report, v1::Namespace* message) {
  message->set_name(report.namespace_name);
  message->set_bytes(report.bytes);
  message->set_broken(report.broken);
  fill(report.processes, message->mutable_processes());
  fill(report.lanes, message->mutable_lanes());
  fill(report.extra_tickets, message->mutable_extra_tickets());
  fill(report.pools, message->mutable_pools());
  fill(report.seats, message->mutable_seats());
  fill(report.chunks, message->mutable_chunks());
  fill(report.mutexes, message->mutable_mutexes());
  fill(report.mutex_seats, message->mutable_mutex_seats());
  fill(report.value_units, message->mutable_value_units());
  message->set_burials(report.burials);
  message->set_repairs(report.repairs);
  message->set_leaks(report.leaks);
  message->set_deadlocks(report.deadlocks);
}

void fill(const shm::WorkerName& worker, v1::Worker* message) {
  message->set_pid(worker.pid);
  message->set_lane(worker.lane);
  message->set_thread_id(worker.thread_id);
  message->set_uid(worker.uid);
  message->set_program(worker.program);
}

void fill(const shm::Holding& holding, int64_t now_ns, v1::Holding* message) {
  message->set_slot(holding.slot);
  message->set_state(state_of(holding.state));
  fill(holding.worker, message->mutable_worker());
  message->set_since_ms(ms_since(holding.since_ns, now_ns));
  if (message->state() != v1::SLOT_STATE_MINTING) {
    message->set_resource_age_ms(ms_since(holding.minted_ns, now_ns));
  }
  message->set_place(holding.place);
  if (holding.flag != shm::CloseReason::kNone) {
    message->set_reason(shm::close_reason_text(holding.flag));
  }
}

void fill(const shm::Waiting& waiting, int64_t now_ns, v1::Waiting* message) {
  fill(waiting.worker, message->mutable_worker());
  message->set_waited_ms(ms_since(waiting.since_ns, now_ns));
  if (waiting.deadline_ns != shm::kNoDeadline) {
    message->set_left_ms(static_cast<int64_t>(ms_since(now_ns, waiting.deadline_ns)));
  }
  message->set_place(waiting.place);
}

void fill(const shm::AttachedProcess& process, int64_t now_ns, v1::Process* message) {
  message->set_index(process.index);
  message->set_pid(process.pid);
  message->set_uid(process.uid);
  message->set_program(process.program);
  message->set_attached_ms(ms_since(process.attached_ns, now_ns));
  message->set_lanes(process.lanes);
  message->set_pools(process.pools);
  message->set_in_use(process.in_use);
  message->set_idle(process.idle);
  message->set_waiting(process.waiting);
}

}  // namespace oxpool::daemon::admin
