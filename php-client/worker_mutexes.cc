#include "worker_mutexes.h"

#include <utility>

#include "worker.h"

namespace oxpool::php {

WorkerMutexes::~WorkerMutexes() {
  while (first_ != nullptr) remove(*first_);
}

WorkerMutex& WorkerMutexes::join(std::string_view name) {
  WorkerMutex*& found = by_name_[std::string(name)];
  if (found != nullptr && !found->name_removed()) return *found;
  found = new WorkerMutex(worker_, std::string(name));
  found->next = first_;
  if (first_ != nullptr) first_->previous = found;
  first_ = found;
  return *found;
}

WorkerMutex* WorkerMutexes::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() || found->second->name_removed() ? nullptr : found->second;
}

Error WorkerMutexes::attach(WorkerMutex& mutex, const shm::MutexRequest& request) {
  if (mutex.lock != nullptr) return Error::ok();
  if (Error error = worker_.lane().attach_mutex(mutex.name, request, &mutex.lock)) return error;
  mutex.id = mutex.lock->id();
  return Error::ok();
}

Error WorkerMutexes::attach_again(WorkerMutex& mutex) {
  if (mutex.lock != nullptr) return Error::ok();
  shm::MutexRequest request;
  request.must_exist = true;
  std::unique_ptr<Mutex> lock;
  if (Error error = worker_.lane().attach_mutex(mutex.name, request, &lock)) return error;
  if (mutex.id != 0 && lock->id() != mutex.id) {
    return Error::make(Status::kRemoved, "the entry was removed, and the name is another one's");
  }
  mutex.lock = std::move(lock);
  mutex.id = mutex.lock->id();
  mutex.drop_kept();
  return Error::ok();
}

void WorkerMutexes::remove_if_unused(WorkerMutex& mutex) {
  if (mutex.objects == 0 && mutex.frames == 0) remove(mutex);
}

void WorkerMutexes::remove(WorkerMutex& mutex) {
  const auto found = by_name_.find(mutex.name);
  if (found != by_name_.end() && found->second == &mutex) by_name_.erase(found);
  (mutex.previous != nullptr ? mutex.previous->next : first_) = mutex.next;
  if (mutex.next != nullptr) mutex.next->previous = mutex.previous;
  mutex.drop_kept();
  delete &mutex;
}

void WorkerMutexes::begin_frame(WorkerMutex& mutex) {
  ++mutex.frames;
  ++frames_;
}

void WorkerMutexes::end_frame(WorkerMutex& mutex) {
  if (mutex.frames > 0) {  // else the end of the request was there before
    --mutex.frames;
    --frames_;
  }
  if (frames_ == 0) past_.clear();
  remove_if_unused(mutex);
}

void WorkerMutexes::detach(std::shared_ptr<Process> process, std::unique_ptr<Lane> lane) {
  PastLife life;
  for (WorkerMutex* mutex = first_; mutex != nullptr; mutex = mutex->next) {
    if (mutex->lock != nullptr) life.locks.push_back(std::move(mutex->lock));
    mutex->drop_kept();
  }
  if (frames_ == 0) life.locks.clear();
  life.process = std::move(process);
  life.lane = std::move(lane);
  if (frames_ > 0) past_.push_back(std::move(life));
}

void WorkerMutexes::end_all_frames() {
  for (WorkerMutex* mutex = first_; mutex != nullptr; mutex = mutex->next) {
    if (mutex->lock != nullptr) mutex->lock->discard();
    mutex->frames = 0;
    mutex->drop_kept();
  }
  frames_ = 0;
  past_.clear();
}

void WorkerMutexes::forget_request() {
  end_all_frames();
  while (first_ != nullptr) remove(*first_);
}

}  // namespace oxpool::php
