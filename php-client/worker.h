// One thread that runs PHP: its attachment to the daemon, its pools and its waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "client/acquire.h"
#include "client/lane.h"
#include "client/process.h"
#include "client/wake_stream.h"
#include "identity.h"
#include "persistent_list.h"
#include "place_cache.h"
#include "registered.h"
#include "worker_mutexes.h"
#include "worker_pool.h"

namespace oxpool::php {

// An acquire that is under way. It is kept here and not in the frame that follows it, so that it
// can be ended when PHP jumps over that frame.
struct PendingAcquire {
  std::optional<Acquire> acquire;  // empty once the attachment it belonged to is over
  PendingAcquire* older = nullptr;
};

// Thread safety: one thread, the one that called here().
class Worker {
 public:
  // This thread's worker, made at the first call.
  static Worker& here();
  // The same, or null when there is none yet.
  static Worker* existing();
  // Gives this thread's lane back and forgets the worker. Idempotent.
  static void end_thread();

  Worker() = default;
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Whether the attachment stands. Two or three loads; asked before every hot call.
  bool usable() const { return lane_ != nullptr && lane_->usable(); }
  bool attached() const { return lane_ != nullptr; }
  // This process is a child of the one that attached (see life.h).
  bool forked() const { return process_ != nullptr && process_->forked(); }
  bool has_attention() const { return lane_->has_attention(); }
  Lane& lane() const { return *lane_; }
  Process& process() const { return *process_; }

  // Connects and takes a lane when there is none. Bounded by oxpool.connect_timeout_ms.
  Error attach();
  // Takes a seat at the pool when it has none in this life; attach() must have succeeded.
  Error attach(WorkerPool& pool);
  // Asks for other settings of an attached pool.
  Error request(WorkerPool& pool, const shm::PoolRequest& request);
  // Ends the attachment without touching the budget of what is still held; every wait ends.
  void detach();
  // The key of this namespace's automatic names. Attached only.
  HashKey name_key() const;

  // The pool of that name, made when there is none.
  WorkerPool& join(const std::string& name);
  // The same, or null. One whose name was removed does not count: the name is another pool's.
  WorkerPool* find(const std::string& name) const;
  WorkerPool* first_pool() const { return pools_; }
  void remove(WorkerPool& pool);

  PendingAcquire& begin_acquire(Pool& budget, int64_t timeout_ns, int64_t started_ns, bool again);
  void end_acquire(PendingAcquire& pending);
  // Ends those whose frames are gone.
  void end_all_acquires();

  WorkerMutexes mutexes{*this};
  TwinNumbers names;
  Registered registered;
  PlaceCache places;
  PersistentStrays persistent_strays;
  // For event loops, event_loop.h: null until one asks; and the stream that PHP code has, if any.
  std::unique_ptr<WakeStream> wake_stream;
  zend_resource* wake_resource = nullptr;
  uint32_t last_slot_number = 0;         // of slot keys, in this request
  std::vector<uint32_t> parked_numbers;  // of those that were parked when it began
  // The request's shutdown functions have run: what comes back is closed at once.
  bool ending = false;
  bool end_is_registered = false;   // endRequest() is among the request's shutdown functions
  uint32_t shutdown_functions = 0;  // how many there were when it was appended, it included

 private:
  std::shared_ptr<Process> process_;  // shared by the threads of this process
  std::unique_ptr<Lane> lane_;
  WorkerPool* pools_ = nullptr;
  std::unordered_map<std::string, WorkerPool*> pools_by_name_;
  PendingAcquire* pending_ = nullptr;
};

}  // namespace oxpool::php
