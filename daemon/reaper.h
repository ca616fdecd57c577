// Buries worker processes that have died.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "daemon/burst_limit.h"
#include "daemon/namespace_segment.h"
#include "daemon/segment_store.h"
#include "daemon/unique_fd.h"
#include "shm/burial.h"

namespace oxpool::daemon {

// A worker is dead when its token is gone; nothing else is asked. An alarm (its session ended, its
// process ended, a sweep found the token gone) only says that this is the time to ask. What it
// owned is given to others once its sockets are closed too: when its process has ended. One that
// goes on living without its token (it executed another program, say) is given 5 s; one whose end
// can not be seen, 50 ms; one that has no lanes any more, and so owns nothing, no time at all.
//
// Invariants:
//  1. Nobody is buried whose token is held.
//  2. A worker is buried once: as long as the record names its life.
//  3. One look blocks for a few milliseconds at most, whatever clients do: a lock whose holder is
//     stopped is tried again later, less and less often.
//
// Thread safety: none; the thread that runs the io_context.
class Reaper {
 public:
  Reaper(boost::asio::io_context& io, SegmentStore& segments);

  // A worker was attached or goes on; `pidfd` becomes readable at its end, or is invalid.
  void watch(const ProcessRef& ref, UniqueFd pidfd);

  // Something says that the worker may be dead.
  void alarm(const ProcessRef& ref);

  // Looks at who is to be looked at by now. Returns when the next one is, or kNoDeadline. Called by
  // the reaper's own timer; public for tests, which bring their own clock.
  int64_t look(int64_t now_ns);

  size_t watched() const { return watches_.size(); }

 private:
  using Key = uint64_t;  // segment serial and process record
  struct Watch {
    ProcessRef ref;
    std::optional<boost::asio::posix::stream_descriptor> pidfd;
    bool ended = false;         // the process is gone, its files are closed
    int64_t token_gone_ns = 0;  // first seen; 0 = the token was held when last looked at
    uint32_t looks = 0;         // at a token that was held, since the last alarm
    uint32_t attempts = 0;      // at a burial that a lock held up
    bool complained = false;
    shm::Burial freed;         // by all burials so far
    int64_t next_look_ns = 0;  // its place in agenda_; kNoDeadline = none
  };

  static Key key_of(const ProcessRef& ref) { return uint64_t{ref.segment} << 32 | ref.process; }
  Watch* find(const ProcessRef& ref);
  Watch& add(const ProcessRef& ref);
  void forget(Key key);
  void wait_for_end(Watch& watch);
  void watch_recorded_pid(const NamespaceSegment& segment, Watch& watch);
  void schedule(Watch& watch, int64_t when_ns);
  void arm_timer();

  void examine(Watch& watch, int64_t now_ns);
  void look_again_at_held_token(Watch& watch, int64_t now_ns);
  void bury(NamespaceSegment& segment, Watch& watch, int64_t now_ns);

  boost::asio::io_context& io_;
  SegmentStore& segments_;
  boost::asio::steady_timer timer_;
  int64_t timer_due_ns_;
  std::unordered_map<Key, std::unique_ptr<Watch>> watches_;
  std::set<std::pair<int64_t, Key>> agenda_;
  BurstLimit burials_;        // of workers that owned units
  BurstLimit empty_burials_;  // of all others: they must not keep those out of the log
};

}  // namespace oxpool::daemon
