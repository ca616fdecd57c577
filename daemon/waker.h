// Tells workers that sleep about flags: one byte on the session of each whose lane has attention.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "daemon/namespace_segment.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon {

// A worker asks by a byte of any kind. However many bytes come from however many workers, a
// namespace is looked through once in a millisecond at most, and of each uid's sessions only a few
// are read on in that time: the rest of a flood stays in its senders' buffers.
//
// Thread safety: none, but for sent(); the daemon's main thread.
class Waker {
 public:
  // Goes on reading a session.
  using ReadOn = std::function<void()>;

  // Both must outlive it.
  Waker(boost::asio::io_context& io, SegmentStore& segments);

  // The life's session; the descriptor stays open until ended().
  void attached(const ProcessRef& ref, int session);
  void ended(const ProcessRef& ref, int session);

  // A worker of `uid` asks for a look at its namespace. read_on is called once, later: not before
  // this namespace was looked through.
  void asked(const ProcessRef& ref, uid_t uid, ReadOn read_on);

  // Looks through a namespace now, for the daemon's own flags. Returns how many were told.
  uint32_t look(NamespaceSegment& segment);

  // Bytes sent. Any thread.
  uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }

  // Forgets all sessions: they are about to go.
  void stop();

 private:
  struct Told {
    uint64_t incarnation;
    int session;
  };
  void take_turn();
  void take_turn_later();

  SegmentStore& segments_;
  boost::asio::steady_timer timer_;
  bool turn_is_due_ = false;
  std::map<std::pair<uint32_t, uint32_t>, Told> sessions_;  // by segment and process
  std::set<uint32_t> asked_for_;                            // segments
  std::unordered_map<uid_t, std::deque<ReadOn>> readers_;
  std::unordered_map<uint32_t, uint32_t> next_lane_;  // by segment: where the next look begins
  std::atomic<uint64_t> sent_{0};
};

}  // namespace oxpool::daemon
