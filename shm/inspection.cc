#include "shm/inspection.h"

#include <algorithm>
#include <cstring>

#include "shm/aging.h"
#include "shm/place.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/slot.h"

namespace oxpool::shm {

namespace {

// Neither negative nor in the future.
int64_t past(const Time64& time, int64_t now_ns) {
  return std::clamp<int64_t>(time.load(std::memory_order_relaxed), 0, now_ns);
}

std::string program_of(const ProcessRecord& process) {
  return std::string(process.program, strnlen(process.program, sizeof process.program));
}

// The record of the process that the owner belongs to; kNoIndex when the owner is gone.
uint32_t process_of(const SegmentView& view, OwnerId owner) {
  const LaneRecord* lane = view.lane(owner.lane());
  if (lane == nullptr || lane->incarnation.load(std::memory_order_acquire) != owner.incarnation()) {
    return kNoIndex;
  }
  return OwnerId{lane->claim.load(std::memory_order_relaxed)}.lane();
}

// Which attached process an owner belongs to; nullptr when it belongs to none.
AttachedProcess* find(std::vector<AttachedProcess>* processes, const SegmentView& view,
                      OwnerId owner) {
  const uint32_t index = process_of(view, owner);
  const auto by_index = [](const AttachedProcess& process, uint32_t i) {
    return process.index < i;
  };
  const auto found = std::lower_bound(processes->begin(), processes->end(), index, by_index);
  return found != processes->end() && found->index == index ? &*found : nullptr;
}

}  // namespace

WorkerName worker_name(const SegmentView& view, OwnerId owner) {
  WorkerName name;
  const ProcessRecord* process = view.process(process_of(view, owner));
  if (process == nullptr) return name;
  name.pid = process->pid.load(std::memory_order_relaxed);
  name.uid = process->uid.load(std::memory_order_relaxed);
  name.program = program_of(*process);
  name.lane = owner.lane();
  name.thread_id = view.lane(owner.lane())->thread_id.load(std::memory_order_relaxed);
  return name;
}

std::vector<Holding> list_holdings(const SegmentView& view, const PoolRecord& pool,
                                   int64_t now_ns) {
  std::vector<Holding> holdings;
  for_each_slot(view, pool, [&](uint32_t index, const SlotRecord& slot) {
    const SlotWord word = load_slot(slot);
    if (!word.owned()) return;
    Holding holding;
    holding.slot = index;
    holding.state = word.state();
    holding.flag = word.reason();
    holding.owner = word.owner();
    holding.worker = worker_name(view, word.owner());
    holding.since_ns = unchanged_since_ns(slot, now_ns);
    holding.minted_ns = past(slot.minted_ns, now_ns);
    if (word.state() == SlotState::kInUse) {
      holding.place = place_text(view, slot.place.load(std::memory_order_relaxed));
    }
    holdings.push_back(std::move(holding));
  });
  return holdings;
}

std::vector<Waiting> list_waiting(const SegmentView& view, const PoolRecord& pool, int64_t now_ns) {
  struct Arrival {
    uint64_t number;
    Waiting waiting;
  };
  std::vector<Arrival> arrivals;
  const uint32_t here = view.index_of(pool) + 1;
  for_each_ticket(view, [&](uint32_t, const TicketRecord& ticket) {
    const WaitWord word{ticket.wait_word.load(std::memory_order_acquire)};
    if (ticket.queue_pool.load(std::memory_order_relaxed) != here ||
        word.state() != WaitState::kWaiting) {
      return;
    }
    Waiting waiting;
    waiting.owner = OwnerId{ticket.owner.load(std::memory_order_relaxed)};
    waiting.worker = worker_name(view, waiting.owner);
    waiting.since_ns = past(ticket.since_ns, now_ns);
    waiting.deadline_ns = ticket.deadline_ns.load(std::memory_order_relaxed);
    waiting.place = place_text(view, ticket.place.load(std::memory_order_relaxed));
    arrivals.push_back({ticket.number.load(std::memory_order_relaxed), std::move(waiting)});
  });
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.number < b.number; });
  std::vector<Waiting> result;
  result.reserve(arrivals.size());
  for (Arrival& arrival : arrivals) result.push_back(std::move(arrival.waiting));
  return result;
}

std::vector<AttachedProcess> list_processes(const SegmentView& view, int64_t now_ns) {
  std::vector<AttachedProcess> processes;
  for (uint32_t i = kDaemonProcess + 1; i < view.high_water(kProcessTable); ++i) {
    const ProcessRecord& record = *view.process(i);
    if (record.incarnation.load(std::memory_order_acquire) == 0) continue;
    AttachedProcess process;
    process.index = i;
    process.pid = record.pid.load(std::memory_order_relaxed);
    process.uid = record.uid.load(std::memory_order_relaxed);
    process.program = program_of(record);
    process.attached_ns = past(record.attached_ns, now_ns);
    processes.push_back(std::move(process));
  }
  const auto of = [&](uint64_t owner) { return find(&processes, view, OwnerId{owner}); };
  for (uint32_t i = kDaemonLane + 1; i < view.high_water(kLaneTable); ++i) {
    const uint64_t incarnation = view.lane(i)->incarnation.load(std::memory_order_acquire);
    if (incarnation == 0 || incarnation > OwnerId::kMaxIncarnation) continue;
    if (AttachedProcess* process = of(OwnerId::make(i, incarnation).raw)) ++process->lanes;
  }
  for (uint32_t i = 0; i < view.high_water(kSeatTable); ++i) {
    const SeatRecord& seat = *view.seat(i);
    if (seat.state.load(std::memory_order_acquire) != static_cast<uint32_t>(RecordState::kLive)) {
      continue;
    }
    AttachedProcess* process = of(seat.owner.load(std::memory_order_relaxed));
    if (process != nullptr) ++process->pools;
  }
  for_each_live_pool(view, [&](const PoolRecord& pool) {
    for_each_slot(view, pool, [&](uint32_t, const SlotRecord& slot) {
      const SlotWord word = load_slot(slot);
      if (word.state() != SlotState::kInUse && word.state() != SlotState::kIdle) return;
      AttachedProcess* process = of(word.owner().raw);
      if (process == nullptr) return;
      ++(word.state() == SlotState::kInUse ? process->in_use : process->idle);
    });
  });
  for_each_ticket(view, [&](uint32_t, const TicketRecord& ticket) {
    const WaitWord word{ticket.wait_word.load(std::memory_order_acquire)};
    if (ticket.queue_pool.load(std::memory_order_relaxed) == 0 ||
        word.state() != WaitState::kWaiting) {
      return;
    }
    AttachedProcess* process = of(ticket.owner.load(std::memory_order_relaxed));
    if (process != nullptr) ++process->waiting;
  });
  return processes;
}

}  // namespace oxpool::shm
