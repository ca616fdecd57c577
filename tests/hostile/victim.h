// A namespace that is under attack, seen from a worker that means harm.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/connection.h"
#include "shm/liveness.h"
#include "shm/robust_mutex.h"
#include "shm/segment.h"
#include "tests/hostile/random.h"

namespace oxpool::test {

// Attaches processes as workers do, fills the segment with pools, units in all states and waiters,
// and then gives full access to it. What it attaches lives in this one process.
//
// Thread safety: none.
class Victim {
 public:
  Victim(std::string runtime_dir, std::string name)
      : runtime_dir_(std::move(runtime_dir)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  bool attached() const { return !processes_.empty(); }
  const shm::SegmentView& view() const { return segment_.view(); }
  int segment_fd() const { return segment_fd_.get(); }
  // Of one of its processes; while attached.
  int token_fd() const { return processes_.front()->token.get(); }

  // The daemon's refusal, or "" when it is attached now.
  std::string attach();
  // Some processes end, as the kernel ends killed ones; others take their places.
  void replace_some(Random& random);
  // What the segment was when it was attached.
  void restore();
  // Everybody ends.
  void leave();

  // Lanes of this victim, of living and of ended processes; never empty while attached.
  const std::vector<shm::OwnerId>& lanes() const { return lanes_; }
  // The bytes of restore().
  const std::vector<char>& sound() const { return sound_; }

 private:
  struct AttachedProcess {
    OwnedFd session;
    OwnedFd token;
    uint32_t index;
    uint64_t incarnation;
    shm::Liveness liveness;
    shm::OwnerId lane;
  };
  std::string attach_one();
  void furnish();
  void make_pool(uint32_t number);

  const std::string runtime_dir_;
  const std::string name_;
  OwnedFd segment_fd_;
  shm::MappedSegment segment_;
  std::vector<std::unique_ptr<AttachedProcess>> processes_;
  std::vector<shm::OwnerId> lanes_;
  std::vector<char> sound_;
};

}  // namespace oxpool::test
