// Processes and lanes: coming to life in the segment, and leaving it.
#pragma once

#include <cstdint>
#include <string_view>

#include "shm/owner_id.h"
#include "shm/segment.h"

namespace oxpool::shm {

// Draws an incarnation that no other process or lane of this segment ever had or will have.
uint64_t draw_incarnation(const SegmentView& view);

// Writes the record of a process whose token is held, its incarnation last; returns that.
// `pid` 0 = not visible.
uint64_t publish_process(const SegmentView& view, uint32_t process, uint32_t pid, uint32_t uid,
                         std::string_view program, int64_t now_ns);

// Clears the record, its incarnation first, once nothing is owned any more.
void clear_process(const SegmentView& view, uint32_t process);

// Claims a free lane for (process, process_incarnation) and publishes it. Returns nobody when the
// lane table is full. Lane kDaemonLane is never given out.
OwnerId open_lane(const SegmentView& view, uint32_t process, uint64_t process_incarnation,
                  uint32_t thread_id);

// The same for one given lane (the daemon's own).
OwnerId open_lane_at(const SegmentView& view, uint32_t lane, uint32_t process,
                     uint64_t process_incarnation, uint32_t thread_id);

// Gives the lane back; it must own nothing any more. Nothing happens to a record that is another's
// by now: who was buried alive and goes on, and who buries it, may both come to this.
void close_lane(const SegmentView& view, OwnerId lane);

// The same for burial, of one that a life of a process had claimed, as far as it came: it may have
// died halfway through open_lane or close_lane, where `lane` has no incarnation.
void close_dead_lane(const SegmentView& view, OwnerId lane, OwnerId process);

// Claims a ticket for a further wait of `owner`, beside its lane's own one. kNoIndex when all are
// taken. Give it back with release_ticket once it is in no queue.
uint32_t claim_extra_ticket(const SegmentView& view, OwnerId owner);
void release_ticket(const SegmentView& view, uint32_t ticket);

}  // namespace oxpool::shm
