#include "daemon/waker.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "proto/handshake.h"

namespace oxpool::daemon {

namespace {

constexpr auto kTurn = std::chrono::milliseconds(1);
// Of one uid in one turn.
constexpr size_t kReadOnInATurn = 16;
// In one look at a namespace; the next one goes on with the others.
constexpr uint32_t kToldInALook = 64;

bool sleeps(const shm::LaneRecord& lane) {
  const uint32_t sleep = lane.sleep.load(std::memory_order_seq_cst);
  return sleep == static_cast<uint32_t>(shm::LaneSleep::kSignal) ||
         sleep == static_cast<uint32_t>(shm::LaneSleep::kStream);
}

}  // namespace

Waker::Waker(boost::asio::io_context& io, SegmentStore& segments)
    : segments_(segments), timer_(io) {}

void Waker::attached(const ProcessRef& ref, int session) {
  sessions_[{ref.segment, ref.process}] = {ref.incarnation, session};
}

// A life that was resumed has another session by now.
void Waker::ended(const ProcessRef& ref, int session) {
  const auto found = sessions_.find({ref.segment, ref.process});
  if (found != sessions_.end() && found->second.incarnation == ref.incarnation &&
      found->second.session == session) {
    sessions_.erase(found);
  }
}

void Waker::asked(const ProcessRef& ref, uid_t uid, ReadOn read_on) {
  asked_for_.insert(ref.segment);
  readers_[uid].push_back(std::move(read_on));
  if (!turn_is_due_) take_turn_later();
}

// The first one to ask after a rest is not kept waiting.
void Waker::take_turn_later() {
  turn_is_due_ = true;
  timer_.expires_at(std::max(timer_.expiry() + kTurn, std::chrono::steady_clock::now()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) take_turn();
  });
}

void Waker::take_turn() {
  turn_is_due_ = false;
  for (const uint32_t serial : std::exchange(asked_for_, {})) {
    if (NamespaceSegment* segment = segments_.find(serial)) look(*segment);
  }
  std::vector<ReadOn> now;
  for (auto entry = readers_.begin(); entry != readers_.end();) {
    std::deque<ReadOn>& waiting = entry->second;
    for (size_t i = 0; i < kReadOnInATurn && !waiting.empty(); ++i) {
      now.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    entry = waiting.empty() ? readers_.erase(entry) : std::next(entry);
  }
  for (const ReadOn& read_on : now) read_on();
  if (!readers_.empty() && !turn_is_due_) take_turn_later();
}

uint32_t Waker::look(NamespaceSegment& segment) {
  const shm::SegmentView& view = segment.view();
  const uint32_t lanes = view.high_water(shm::kLaneTable);
  if (lanes <= 1) return 0;
  uint32_t& next = next_lane_[segment.serial()];
  const uint32_t first = next % lanes;
  uint32_t told = 0;
  for (uint32_t step = 0; step < lanes && told < kToldInALook; ++step) {
    const uint32_t index = (first + step) % lanes;
    const shm::LaneRecord& lane = *view.lane(index);
    if (lane.attention.load(std::memory_order_acquire) == 0 || !sleeps(lane)) continue;
    const shm::OwnerId process{lane.claim.load(std::memory_order_acquire)};
    const auto found = sessions_.find({segment.serial(), process.lane()});
    if (found == sessions_.end() || found->second.incarnation != process.incarnation()) continue;
    ++told;
    next = index + 1;
    // A full buffer: it was told, and has not looked yet.
    if (send(found->second.session, &proto::kWake, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
      sent_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  return told;
}

void Waker::stop() {
  timer_.cancel();
  readers_.clear();
  sessions_.clear();
}

}  // namespace oxpool::daemon
