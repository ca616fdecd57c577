// This process's life in one namespace's segment.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/connection.h"
#include "client/fork_guard.h"
#include "client/status.h"
#include "shm/clock.h"
#include "shm/liveness.h"
#include "shm/segment.h"

namespace oxpool {

class LocalHost;

// What to do when nobody answers at the daemon's socket.
enum class OnUnreachable {
  kFail,
  kLocal,  // a budget of this process and its forks alone
};

struct ProcessOptions {
  std::string runtime_dir = "/run/oxpool";
  std::string namespace_name;  // empty = the default of this uid
  std::string program;         // for people who look from outside
  int connect_timeout_ms = 1000;
  OnUnreachable on_unreachable = OnUnreachable::kFail;
};

// One attachment: the mapped segment, the token that says this process lives, and the session with
// the daemon.
//
// Invariants:
//  1. While the object lives in the process that made it, the token's descriptor is open.
//  2. The segment stays mapped until destruction, also after the daemon is gone.
//  3. In a forked child `forked()` is true and nothing here touches the segment any more.
//  4. Once one attachment is local, every later one of the process and its forks is, too: a daemon
//     is not looked for again.
//
// Thread safety: all methods from any thread.
class Process {
 public:
  // Connects, receives the segment and the token, maps. Bounded by connect_timeout_ms. With kLocal
  // an answer that is a refusal, or is of another version, is an error all the same.
  static Error attach(const ProcessOptions& options, std::unique_ptr<Process>* process);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const shm::SegmentView& view() const { return view_; }
  const shm::Liveness& liveness() const { return liveness_; }
  const ProcessOptions& options() const { return options_; }
  const std::string& namespace_name() const { return namespace_name_; }
  uint32_t index() const { return index_; }
  uint64_t incarnation() const { return incarnation_; }

  bool forked() const { return fork_guard_.forked(); }
  // Null with a daemon.
  const std::shared_ptr<LocalHost>& local_host() const { return local_host_; }
  // How to get more of what the segment has a table of, for the end of a sentence.
  std::string way_to_more(const char* limit) const;
  // The daemon no longer knows this life (it was buried, or the segment is another one).
  bool lost() const { return lost_.load(std::memory_order_relaxed); }

  // Time as the daemon's clock has it, for what is written into the segment.
  int64_t shared_coarse_ns() const { return shm::coarse_ns() + clock_offset_ns_; }
  int64_t clock_offset_ns() const { return clock_offset_ns_; }
  int64_t shared_monotonic_ns() const { return shm::monotonic_ns() + clock_offset_ns_; }

  // From slow paths: when the session has ended, tries to resume it, at most once a second (backing
  // off to 10 s), for at most 100 ms. Never fails loudly: workers go on without a daemon.
  void tend_session();
  // The session's socket, -1 without one. It changes in tend_session() only, and session_serial()
  // with it, which is another one for each session of this program and its forks.
  int session_descriptor() const { return session_.get(); }
  uint64_t session_serial() const { return session_serial_; }
  // An epoll descriptor that each later session is to be put into, too.
  void put_sessions_into(int epoll);
  void put_no_sessions_into(int epoll);
  // Asks the daemon to look for lanes that are to be told of flags (LaneRecord::sleep). For slow
  // paths: one system call, never waits.
  void ask_for_wakes();
  // Whether a daemon holds this segment now, by its token. One system call.
  bool daemon_lives() const;
  // Whether the session was open when last looked at.
  bool session_open() const { return session_open_.load(std::memory_order_relaxed); }

 private:
  explicit Process(const ProcessOptions& options) : options_(options) {}
  static Error attach_locally(const ProcessOptions& options, std::shared_ptr<LocalHost> host,
                              std::unique_ptr<Process>* process);
  void set_place(const shm::SegmentView& view, OwnedFd token, uint32_t index, uint64_t incarnation);
  bool session_ended() const;
  void resume_session();

  ProcessOptions options_;
  std::string namespace_name_;
  ForkGuard fork_guard_;
  // What view_ is of: one of the two.
  shm::MappedSegment segment_;
  std::shared_ptr<LocalHost> local_host_;
  shm::SegmentView view_;
  OwnedFd token_;
  void note_session();
  void put_session_into(int epoll) const;
  OwnedFd session_;  // guarded by session_mutex_
  uint64_t session_serial_ = 0;
  std::vector<int> epolls_;  // guarded by session_mutex_
  shm::Liveness liveness_;
  uint32_t index_ = 0;
  uint64_t incarnation_ = 0;
  int64_t clock_offset_ns_ = 0;
  std::atomic<bool> lost_{false};
  std::atomic<bool> session_open_{true};
  std::atomic<int64_t> next_tend_ns_{0};
  int64_t backoff_ns_ = 0;  // guarded by session_mutex_
  std::mutex session_mutex_;
};

}  // namespace oxpool
