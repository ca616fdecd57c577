// One thread's attachment: what owns slots and waits in queues.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/process.h"
#include "client/status.h"
#include "shm/mutex_table.h"
#include "shm/pool_table.h"
#include "shm/registry.h"
#include "shm/robust_mutex.h"

namespace oxpool {

class Acquire;
class LocalDuties;
class Mutex;
class Pool;

// Thread safety: belongs to the thread that opened it, and so do its pools, mutexes and acquires.
// `process` must outlive it.
class Lane {
 public:
  // kCapacity when the lane table is full; kForked, kFenced when the process's life is over here.
  static Error open(Process& process, std::unique_ptr<Lane>* lane);
  // Leaves every queue and gives the lane back. Pools must be gone. In a forked child it touches
  // nothing.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Finds or makes the pool `name` (any bytes, 1–255) and takes a seat at it. The newest process's
  // settings win; *disagreed (may be null) says that another process had asked for something else.
  Error attach_pool(std::string_view name, const shm::PoolRequest& request,
                    std::unique_ptr<Pool>* pool, bool* disagreed = nullptr);

  // Asks for other settings of a pool that is attached; the same rules as in attach_pool.
  Error request_settings(Pool& pool, const shm::PoolRequest& request);

  // Finds or makes the mutex `name` (any bytes, 1–255) and takes a seat at it. One that exists is
  // joined as it is. *made (may be null) says which. kWrongType: the name is a pool's; kTooLarge,
  // kCapacity: the initial value, or a table, has no room; kRemoved: it must exist and does not.
  Error attach_mutex(std::string_view name, const shm::MutexRequest& request,
                     std::unique_ptr<Mutex>* mutex, bool* made = nullptr);

  // Frees a name; *removed says whether a pool or a mutex had it. Who has that pool goes on using
  // it; who has that mutex gets kRemoved from its next call on, and from a wait.
  Error remove_name(std::string_view name, bool* removed);
  Error given_names(std::vector<std::string>* names);
  Error count_registry(shm::RegistryTotals* totals);

  // True when attend() is to be called. One relaxed load; cheap enough for every call.
  bool has_attention() const { return record_->attention.load(std::memory_order_relaxed) != 0; }
  // True when somebody flagged a slot of this lane since the last look: ask each pool for
  // take_flagged(). Without a daemon it also does, now and then, what a daemon would.
  bool attend();

  // How this lane is to be told of flags from now on. seq_cst, as shm::sleep_of() explains.
  void set_sleep(shm::LaneSleep sleep) {
    record_->sleep.store(static_cast<uint32_t>(sleep), std::memory_order_seq_cst);
  }
  // The next has_attention() is true.
  void ask_for_attention() { record_->attention.store(1, std::memory_order_relaxed); }
  shm::LaneRecord& record() const { return *record_; }

  // Ends every wait of this lane that was jumped out of (its Acquire's frame is gone) or suspended.
  // What was granted meanwhile goes back. Called at the end of a request.
  void cancel_waits();

  // False once this life is over here: forked child, buried, or another segment. Everything is to
  // be abandoned then and attached anew.
  bool usable() const { return !process_.forked() && !fenced_ && !process_.lost(); }
  // usable(), after a look at the lane's own record: for slow paths, before they do what only a
  // living lane may do.
  bool still_usable() {
    if (usable() && buried()) mark_fenced();
    return usable();
  }
  Status unusable_status() const { return process_.forked() ? Status::kForked : Status::kFenced; }
  void mark_fenced() { fenced_ = true; }

  Process& process() const { return process_; }
  const shm::SegmentView& view() const { return process_.view(); }
  shm::OwnerId id() const { return id_; }
  shm::LockContext lock_context() const { return {id_, &process_.liveness()}; }

 private:
  friend class Acquire;
  friend class Mutex;
  friend class Pool;
  explicit Lane(Process& process);
  template <typename Work>
  Error with_tables(Work work);
  bool ask_for_settings(shm::PoolRecord& record, const shm::PoolRequest& request, int64_t now_ns,
                        bool* differs);
  // `changed`: this lane has just asked for another cap than was wanted before.
  void settle_cap(shm::PoolRecord& record, bool changed);
  bool buried() const {
    return record_->incarnation.load(std::memory_order_acquire) != id_.incarnation();
  }
  // The lane's own ticket, or a further one when an outer wait has it (a signal handler that waits
  // while its lane does) or an earlier wait of a pool's queue is not unlinked yet. kNoIndex: none
  // is left.
  uint32_t take_ticket();
  // Gives back a ticket that is in no queue.
  void drop_ticket(uint32_t ticket);
  // Something of this lane could not be given back in time: a burial will find it by the lane.
  void leave_to_burial() { left_to_burial_ = true; }

  Process& process_;
  shm::OwnerId id_;
  shm::LaneRecord* record_ = nullptr;
  bool fenced_ = false;
  bool left_to_burial_ = false;
  std::unique_ptr<LocalDuties> duties_;  // null with a daemon
  Acquire* waits_ = nullptr;             // queued acquires, newest first
  std::vector<Mutex*> mutex_waits_;      // that wait for their lock, newest last
  // Extra tickets that a queue may still lead to, because its lock could not be had. Used again
  // once they are unlinked.
  std::vector<uint32_t> left_tickets_;
};

}  // namespace oxpool
