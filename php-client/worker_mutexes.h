// The mutexes of one worker.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/lane.h"
#include "client/process.h"
#include "value_encoder.h"
#include "worker_mutex.h"

namespace oxpool::php {

// Thread safety: one thread, the worker's.
class WorkerMutexes {
 public:
  explicit WorkerMutexes(Worker& worker) : worker_(worker) {}
  ~WorkerMutexes();
  WorkerMutexes(const WorkerMutexes&) = delete;
  WorkerMutexes& operator=(const WorkerMutexes&) = delete;

  // The mutex of that name, made when there is none. One whose name was removed does not count.
  WorkerMutex& join(std::string_view name);
  // The same, or null.
  WorkerMutex* find(std::string_view name) const;
  // Takes a seat at the mutex, which is made when there is none.
  Error attach(WorkerMutex& mutex, const shm::MutexRequest& request);
  // Takes a seat at the mutex when it has none in this life. kRemoved: there is none of that name,
  // or it is another one.
  Error attach_again(WorkerMutex& mutex);

  void remove_if_unused(WorkerMutex& mutex);

  // A call waits for the lock or has it. The mutex and its lock stay until end_frame().
  void begin_frame(WorkerMutex& mutex);
  void end_frame(WorkerMutex& mutex);

  // The attachment is over. Where frames still stand on locks, these and the lane go with the last
  // of them.
  void detach(std::shared_ptr<Process> process, std::unique_ptr<Lane> lane);
  // The request ends and the frames are gone: nothing that a jump left behind is locked or waited
  // for any more; nothing is committed. Runs no PHP code.
  void end_all_frames();
  // Its objects are gone, too.
  void forget_request();

  ValueEncoder encoder;

 private:
  struct PastLife {
    std::shared_ptr<Process> process;
    std::unique_ptr<Lane> lane;
    std::vector<std::unique_ptr<Mutex>> locks;  // go first
  };
  void remove(WorkerMutex& mutex);

  Worker& worker_;
  WorkerMutex* first_ = nullptr;
  std::unordered_map<std::string, WorkerMutex*> by_name_;
  uint32_t frames_ = 0;  // of all
  std::vector<PastLife> past_;
};

}  // namespace oxpool::php
