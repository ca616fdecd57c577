// Which pools of a segment are to be looked at next, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "shm/clock.h"
#include "shm/segment.h"

namespace oxpool::daemon {

// Keeps the live pools of a segment in order of the time at which something can happen to them, so
// that the work of a turn is in proportion to what is due, not to what exists. New pools are
// noticed when the segment's pool_table_version moves, changed ones also within a second.
//
// Nothing read from the segment is trusted: pools are looked at at most once a turn.
//
// Thread safety: none.
class PoolAgenda {
 public:
  // What `examine` depends on besides time. When it differs from the last turn's, the pool is due.
  using Stamp = int64_t (*)(const shm::PoolRecord&);
  // Looks at a live pool and returns when it is to be looked at next; kNoDeadline = not before its
  // stamp changes.
  using Examine = std::function<int64_t(shm::PoolRecord&)>;

  explicit PoolAgenda(Stamp stamp) : stamp_(stamp) {}

  // One turn. Cheap when nothing is due and nothing has changed.
  void run(const shm::SegmentView& view, int64_t now_ns, const Examine& examine);

  // Makes every pool due.
  void look_at_all();

 private:
  struct Known {
    uint64_t id = 0;  // 0 = no live pool there
    int64_t stamp = 0;
    int64_t due_ns = shm::kNoDeadline;  // its place in due_; kNoDeadline = none
  };
  using Due = std::pair<int64_t, uint32_t>;  // when, pool index
  static constexpr uint64_t kNeverSeen = ~uint64_t{0};

  void discover(const shm::SegmentView& view, int64_t now_ns);
  void set_due(uint32_t index, int64_t due_ns);

  const Stamp stamp_;
  uint64_t seen_version_ = kNeverSeen;
  int64_t discovered_ns_ = 0;
  std::vector<Known> known_;  // by pool index
  std::set<Due> due_;
};

}  // namespace oxpool::daemon
