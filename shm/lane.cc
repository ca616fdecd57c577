#include "shm/lane.h"

#include <algorithm>
#include <cstring>

namespace oxpool::shm {

namespace {

// A word by which a record is claimed: acq_rel, so that the last user's clearing is seen.
bool claim_word(Word64& word, uint64_t value) {
  uint64_t expected = 0;
  return word.compare_exchange_strong(expected, value, std::memory_order_acq_rel,
                                      std::memory_order_relaxed);
}

// Gives it up, unless it is another's by now.
bool clear_word(Word64& word, uint64_t own) {
  return word.compare_exchange_strong(own, 0, std::memory_order_acq_rel, std::memory_order_relaxed);
}

OwnerId publish_lane(const SegmentView& view, uint32_t index, uint32_t thread_id) {
  LaneRecord& lane = *view.lane(index);
  lane.thread_id.store(thread_id, std::memory_order_relaxed);
  lane.attention.store(0, std::memory_order_relaxed);
  lane.sleep.store(static_cast<uint32_t>(LaneSleep::kAwake), std::memory_order_relaxed);
  lane.gated_at.store(0, std::memory_order_relaxed);
  const OwnerId id = OwnerId::make(index, draw_incarnation(view));
  lane.incarnation.store(id.incarnation(), std::memory_order_release);
  return id;
}

}  // namespace

uint64_t draw_incarnation(const SegmentView& view) {
  return view.header().next_incarnation.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t publish_process(const SegmentView& view, uint32_t process, uint32_t pid, uint32_t uid,
                         std::string_view program, int64_t now_ns) {
  ProcessRecord& record = *view.process(process);
  record.pid.store(pid, std::memory_order_relaxed);
  record.uid.store(uid, std::memory_order_relaxed);
  record.attached_ns.store(now_ns, std::memory_order_relaxed);
  std::memset(record.program, 0, sizeof record.program);
  std::memcpy(record.program, program.data(), std::min(program.size(), sizeof record.program - 1));
  view.raise_high_water(kProcessTable, process + 1);
  const uint64_t incarnation = draw_incarnation(view);
  record.started_serial.store(incarnation, std::memory_order_relaxed);
  record.incarnation.store(incarnation, std::memory_order_release);
  return incarnation;
}

void clear_process(const SegmentView& view, uint32_t process) {
  view.process(process)->incarnation.store(0, std::memory_order_release);
}

OwnerId open_lane(const SegmentView& view, uint32_t process, uint64_t process_incarnation,
                  uint32_t thread_id) {
  const uint64_t claim = OwnerId::make(process, process_incarnation).raw;
  for (uint32_t index = kDaemonLane + 1; index < view.count(kLaneTable); ++index) {
    LaneRecord& lane = *view.lane(index);
    if (lane.claim.load(std::memory_order_relaxed) != 0) continue;
    view.raise_high_water(kLaneTable, index + 1);  // first, so that burial finds a half-made lane
    if (claim_word(lane.claim, claim)) return publish_lane(view, index, thread_id);
  }
  return kNobody;
}

OwnerId open_lane_at(const SegmentView& view, uint32_t index, uint32_t process,
                     uint64_t process_incarnation, uint32_t thread_id) {
  LaneRecord& lane = *view.lane(index);
  view.raise_high_water(kLaneTable, index + 1);
  lane.incarnation.store(0, std::memory_order_release);
  lane.claim.store(OwnerId::make(process, process_incarnation).raw, std::memory_order_release);
  return publish_lane(view, index, thread_id);
}

void close_lane(const SegmentView& view, OwnerId id) {
  LaneRecord& lane = *view.lane(id.lane());
  // Its own, if its life is still published below.
  const uint64_t claim = lane.claim.load(std::memory_order_acquire);
  if (clear_word(lane.incarnation, id.incarnation())) clear_word(lane.claim, claim);
}

void close_dead_lane(const SegmentView& view, OwnerId id, OwnerId process) {
  LaneRecord& lane = *view.lane(id.lane());
  clear_word(lane.incarnation, id.incarnation());
  clear_word(lane.claim, process.raw);
}

uint32_t claim_extra_ticket(const SegmentView& view, OwnerId owner) {
  for (uint32_t index = view.count(kLaneTable); index < view.count(kTicketTable); ++index) {
    TicketRecord& ticket = *view.ticket(index);
    if (ticket.owner.load(std::memory_order_relaxed) != 0) continue;
    view.raise_high_water(kTicketTable, index + 1);  // first, so that burial finds it
    if (!claim_word(ticket.owner, owner.raw)) continue;
    if (ticket.queue_pool.load(std::memory_order_acquire) == 0) return index;
    release_ticket(view, index);  // a dead lane's, which a queue still leads to
  }
  return kNoIndex;
}

void release_ticket(const SegmentView& view, uint32_t ticket) {
  view.ticket(ticket)->owner.store(0, std::memory_order_release);
}

}  // namespace oxpool::shm
