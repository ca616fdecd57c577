// Who has what of a pool, who waits for it, and who is attached, for people who look from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shm/clock.h"
#include "shm/segment.h"
#include "shm/slot_word.h"

namespace oxpool::shm {

// All of these are lock-free and read-only, of slightly different instants, and safe on a segment
// that was scribbled on: times are never in the future, and there are never more of anything than
// the segment has records. Any thread. Times are of the daemon's CLOCK_MONOTONIC.

struct WorkerName {
  uint32_t pid = 0;  // as the daemon sees it; 0 where it can not
  uint32_t lane = 0;
  uint32_t thread_id = 0;  // as its own PID namespace numbers it
  uint32_t uid = 0;
  std::string program;

  std::string text() const { return std::to_string(pid) + "/" + std::to_string(lane); }
};

// The worker behind an owner; all 0 when it is gone.
WorkerName worker_name(const SegmentView& view, OwnerId owner);

// A unit that somebody has.
struct Holding {
  uint32_t slot = 0;  // its number within the pool
  SlotState state = SlotState::kFree;
  CloseReason flag = CloseReason::kNone;  // of an idle one: it is asked for; of a closing one: why
  OwnerId owner;
  WorkerName worker;
  int64_t since_ns = 0;   // in use, or idle, since then
  int64_t minted_ns = 0;  // when the resource was made
  std::string place;      // of one in use: FILE:LINE that acquired it, if noted
};
// By slot number; idle, minting and closing ones too.
std::vector<Holding> list_holdings(const SegmentView& view, const PoolRecord& pool, int64_t now_ns);

struct Waiting {
  OwnerId owner;
  WorkerName worker;
  int64_t since_ns = 0;
  int64_t deadline_ns = kNoDeadline;
  std::string place;
};
// In the order in which they are served.
std::vector<Waiting> list_waiting(const SegmentView& view, const PoolRecord& pool, int64_t now_ns);

struct AttachedProcess {
  uint32_t index = 0;
  uint32_t pid = 0;
  uint32_t uid = 0;
  std::string program;
  int64_t attached_ns = 0;
  uint32_t lanes = 0;
  uint32_t pools = 0;  // seats of all its lanes
  uint32_t in_use = 0;
  uint32_t idle = 0;
  uint32_t waiting = 0;  // tickets
};
// By record; without the daemon's own.
std::vector<AttachedProcess> list_processes(const SegmentView& view, int64_t now_ns);

}  // namespace oxpool::shm
