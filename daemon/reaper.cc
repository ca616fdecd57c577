#include "daemon/reaper.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <chrono>
#include <cstring>

#include "daemon/event.h"
#include "daemon/peer.h"
#include "shm/burial.h"
#include "shm/clock.h"

namespace oxpool::daemon {

using shm::kNanosPerMilli;
using shm::kNanosPerSecond;
using shm::kNoDeadline;

namespace {

// How long the sockets of a process may outlive its token when nobody says that it has ended. The
// kernel closes both at the end, but one that has 16,000 files open takes 60 ms for it.
constexpr int64_t kUnseenEndNs = 50 * kNanosPerMilli;
constexpr int64_t kSeenEndNs = 5 * kNanosPerSecond;
// A session can end a moment before the token does; after so many looks (1, 2, 4 … ms apart) the
// worker lives, and only closed its session.
constexpr uint32_t kLooksAtHeldToken = 8;
// Holders of a lock are inside for microseconds. One that is throttled or stopped inside must not
// stop the loop, so the wait is short and comes again.
constexpr int64_t kBurialPatienceNs = 2 * kNanosPerMilli;
constexpr int64_t kMaxBurialBackoffNs = 5 * kNanosPerSecond;
constexpr int64_t kComplainAfterNs = kNanosPerSecond;
// Then others have a turn.
constexpr int kExaminedPerLook = 16;
// Each lane is looked for at every seat. A process with more has threads by the hundred, or
// somebody scribbled its name on all lanes, which took seconds.
constexpr uint32_t kLanesPerLook = 64;

std::string program_of(const shm::ProcessRecord& record) {
  return std::string(record.program, strnlen(record.program, sizeof record.program));
}

// Whether the worker can still own anything. One that detaches in order closes its lanes first.
bool has_lanes(const shm::SegmentView& view, const ProcessRef& ref) {
  const uint64_t claim = shm::OwnerId::make(ref.process, ref.incarnation).raw;
  const uint32_t lanes = view.high_water(shm::kLaneTable);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (view.lane(i)->claim.load(std::memory_order_acquire) == claim) return true;
  }
  return false;
}

// Records are the clients' to write: whoever fills the table with dead workers and living pids must
// not use up the descriptors that new workers need. The kernel gives the lowest free number.
bool takes_from_sessions(const UniqueFd& pidfd) {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
         static_cast<rlim_t>(pidfd.get()) >= limit.rlim_cur / 2;
}

int64_t backoff_ns(uint32_t attempts) {
  return std::min(10 * kNanosPerMilli << std::min(attempts, 16u), kMaxBurialBackoffNs);
}

}  // namespace

Reaper::Reaper(boost::asio::io_context& io, SegmentStore& segments)
    : io_(io),
      segments_(segments),
      timer_(io),
      timer_due_ns_(kNoDeadline),
      burials_(io, "workers with slots buried"),
      empty_burials_(io, "workers without slots buried") {}

void Reaper::watch(const ProcessRef& ref, UniqueFd pidfd) {
  forget(key_of(ref));  // an earlier session of the same worker
  Watch& watch = add(ref);
  if (!pidfd.valid()) return;
  watch.pidfd.emplace(io_, pidfd.release());
  wait_for_end(watch);
}

void Reaper::wait_for_end(Watch& watch) {
  watch.pidfd->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [this, ref = watch.ref](const boost::system::error_code& error) {
                            if (error) return;  // the watch, or the program, ended
                            Watch* found = find(ref);
                            if (found == nullptr) return;
                            found->ended = true;
                            found->pidfd.reset();
                            alarm(ref);
                          });
}

void Reaper::alarm(const ProcessRef& ref) {
  Watch* watch = find(ref);
  if (watch == nullptr) watch = &add(ref);
  watch->looks = 0;
  schedule(*watch, shm::monotonic_ns());
  arm_timer();
}

Reaper::Watch* Reaper::find(const ProcessRef& ref) {
  const auto found = watches_.find(key_of(ref));
  const bool same = found != watches_.end() && found->second->ref.incarnation == ref.incarnation;
  return same ? found->second.get() : nullptr;
}

Reaper::Watch& Reaper::add(const ProcessRef& ref) {
  forget(key_of(ref));
  auto& watch = watches_[key_of(ref)];
  watch = std::make_unique<Watch>();
  watch->ref = ref;
  watch->next_look_ns = kNoDeadline;
  return *watch;
}

void Reaper::forget(Key key) {
  const auto found = watches_.find(key);
  if (found == watches_.end()) return;
  schedule(*found->second, kNoDeadline);
  watches_.erase(found);
}

void Reaper::schedule(Watch& watch, int64_t when_ns) {
  const Key key = key_of(watch.ref);
  if (watch.next_look_ns != kNoDeadline) agenda_.erase({watch.next_look_ns, key});
  watch.next_look_ns = when_ns;
  if (when_ns != kNoDeadline) agenda_.insert({when_ns, key});
}

void Reaper::arm_timer() {
  const int64_t due_ns = agenda_.empty() ? kNoDeadline : agenda_.begin()->first;
  if (due_ns == timer_due_ns_) return;
  timer_due_ns_ = due_ns;
  if (due_ns == kNoDeadline) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(
      std::chrono::nanoseconds(std::max<int64_t>(due_ns - shm::monotonic_ns(), 0)));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    timer_due_ns_ = kNoDeadline;
    look(shm::monotonic_ns());
    arm_timer();
  });
}

int64_t Reaper::look(int64_t now_ns) {
  for (int i = 0; i < kExaminedPerLook && !agenda_.empty(); ++i) {
    const auto [due_ns, key] = *agenda_.begin();
    if (due_ns > now_ns) break;
    Watch& watch = *watches_.at(key);
    schedule(watch, kNoDeadline);
    examine(watch, now_ns);
  }
  return agenda_.empty() ? kNoDeadline : agenda_.begin()->first;
}

void Reaper::examine(Watch& watch, int64_t now_ns) {
  NamespaceSegment* segment = segments_.find(watch.ref.segment);
  if (segment == nullptr || !segment->is_current(watch.ref)) {
    forget(key_of(watch.ref));
    return;
  }
  if (segment->token_held(watch.ref.process)) {
    look_again_at_held_token(watch, now_ns);
    return;
  }
  if (watch.token_gone_ns == 0) {
    watch.token_gone_ns = now_ns;
    if (!watch.pidfd && !watch.ended) watch_recorded_pid(*segment, watch);
  }
  const int64_t sockets_closed_ns = watch.token_gone_ns + (watch.pidfd ? kSeenEndNs : kUnseenEndNs);
  if (!watch.ended && now_ns < sockets_closed_ns && has_lanes(segment->view(), watch.ref)) {
    schedule(watch, sockets_closed_ns);  // the process's end brings it forward
    return;
  }
  bury(*segment, watch, now_ns);
}

// For a worker of an earlier daemon, which has no session here. The pid may be somebody else's by
// now, or in another PID namespace; then its burial is late, and nothing worse.
void Reaper::watch_recorded_pid(const NamespaceSegment& segment, Watch& watch) {
  const shm::ProcessRecord& record = *segment.view().process(watch.ref.process);
  UniqueFd pidfd = pidfd_of(static_cast<pid_t>(record.pid.load(std::memory_order_relaxed)));
  if (!pidfd.valid() || takes_from_sessions(pidfd)) return;
  watch.pidfd.emplace(io_, pidfd.release());
  wait_for_end(watch);
}

void Reaper::look_again_at_held_token(Watch& watch, int64_t now_ns) {
  watch.token_gone_ns = 0;
  if (watch.looks < kLooksAtHeldToken) {
    schedule(watch, now_ns + (kNanosPerMilli << watch.looks));
    ++watch.looks;
    return;
  }
  // It lives. Its end is told by the pidfd, or else found by the sweep.
  if (!watch.pidfd) forget(key_of(watch.ref));
}

void Reaper::bury(NamespaceSegment& segment, Watch& watch, int64_t now_ns) {
  const shm::ProcessRecord& record = *segment.view().process(watch.ref.process);
  const uint32_t pid = record.pid.load(std::memory_order_relaxed);
  const uint32_t uid = record.uid.load(std::memory_order_relaxed);
  const std::string program = program_of(record);
  const shm::Burial burial =
      shm::bury_process(segment.view(), segment.locks(), watch.ref.process, watch.ref.incarnation,
                        now_ns, kBurialPatienceNs, kLanesPerLook);
  watch.freed.lanes += burial.lanes;
  watch.freed.slots += burial.slots;
  watch.freed.tickets += burial.tickets;
  watch.freed.seats += burial.seats;
  if (burial.complete) {
    const bool owned_slots = watch.freed.slots != 0;
    BurstLimit& limit = owned_slots ? burials_ : empty_burials_;
    log_event(limit.next(segment.name(), now_ns), "worker buried",
              {{"namespace", segment.name()},
               {"process", watch.ref.process},
               {"pid", pid},
               {"uid", uid},
               {"program", program},
               {"lanes", watch.freed.lanes},
               {"slots", watch.freed.slots},
               {"tickets", watch.freed.tickets},
               {"seats", watch.freed.seats}},
              owned_slots ? Recent::kKeep : Recent::kLeaveOut);
    segment.note_free(watch.ref.process);
    forget(key_of(watch.ref));
    return;
  }
  if (burial.more) return schedule(watch, now_ns + 1);  // after whatever else is due
  schedule(watch, now_ns + backoff_ns(watch.attempts++));
  if (watch.complained || now_ns - watch.token_gone_ns < kComplainAfterNs) return;
  watch.complained = true;
  log_event(
      Level::kWarning, "burial held up",
      {{"namespace", segment.name()},
       {"process", watch.ref.process},
       {"pid", pid},
       {"reason", "somebody is stopped inside a lock; tried again until it goes on or dies"}});
}

}  // namespace oxpool::daemon
