// The two kinds of lock of a segment, held by scope. Holding one means that what it guards is
// whole.
#pragma once

#include <cstdint>

#include "shm/robust_mutex.h"
#include "shm/segment.h"

namespace oxpool::shm {

// How long a lock of the segment is waited for when nothing else sets a limit. Holders stay inside
// for microseconds; one that is stopped inside must not stop the rest.
inline constexpr int64_t kLockPatienceNs = 100'000'000;

// Guards one pool's queue, grants, excess and cap. Functions that need it take a `const PoolLock&`
// as evidence. When the previous holder died inside, the constructor repairs the pool first. A lane
// that was buried alive does not get it.
//
// Order: TableLock before PoolLock, one PoolLock at a time. No user code, and no system call but a
// wake, while one is held.
class PoolLock {
 public:
  PoolLock(const SegmentView& view, PoolRecord& pool, const LockContext& context,
           int64_t timeout_ns);
  ~PoolLock();
  PoolLock(const PoolLock&) = delete;
  PoolLock& operator=(const PoolLock&) = delete;

  bool held() const { return held_; }
  const SegmentView& view() const { return view_; }
  PoolRecord& pool() const { return pool_; }

 private:
  const SegmentView& view_;
  PoolRecord& pool_;
  OwnerId me_;
  bool held_;
};

// Guards which pools, mutexes, seats and chunks exist. As above.
class TableLock {
 public:
  TableLock(const SegmentView& view, const LockContext& context, int64_t timeout_ns);
  ~TableLock();
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;

  bool held() const { return held_; }
  const SegmentView& view() const { return view_; }
  // Who holds it, for the locks that come after it.
  const LockContext& context() const { return context_; }

 private:
  const SegmentView& view_;
  LockContext context_;
  bool held_;
};

// Guards which units of the value area are whose (unit_map.h). As above; what is repaired is the
// map of units, from the mutexes' own records.
//
// Order: TableLock before ValueLock.
class ValueLock {
 public:
  ValueLock(const SegmentView& view, const LockContext& context, int64_t timeout_ns);
  ~ValueLock();
  ValueLock(const ValueLock&) = delete;
  ValueLock& operator=(const ValueLock&) = delete;

  bool held() const { return held_; }
  const SegmentView& view() const { return view_; }

 private:
  const SegmentView& view_;
  OwnerId me_;
  bool held_;
};

}  // namespace oxpool::shm
