#include "worker.h"

#include <atomic>
#include <mutex>

#include "client/local_host.h"
#include "client/sleep.h"
#include "error_log.h"
#include "life.h"
#include "sentence.h"
#include "settings.h"

namespace oxpool::php {

namespace {

// The attachment of this process, shared by its threads. `over` is one that ended (or null):
// whoever finds it still here replaces it.
Error share_process(const std::shared_ptr<Process>& over, std::shared_ptr<Process>* result) {
  static std::mutex mutex;
  static std::weak_ptr<Process> shared;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Process> current = shared.lock();
  if (current == nullptr || current == over || current->forked() || current->lost()) {
    ProcessOptions options;
    if (Error error = process_options(&options)) return error;
    std::unique_ptr<Process> fresh;
    if (Error error = Process::attach(options, &fresh)) return error;
    current = std::move(fresh);
    shared = current;
  }
  *result = std::move(current);
  return Error::ok();
}

// Said once, and not again by the processes that it forks. Nothing is held here that a jump out of
// PHP would skip.
void say_if_local(const Process& process) {
  static std::atomic<bool> said{false};
  if (process.local_host() == nullptr || said.exchange(true)) return;
  Sentence sentence;
  sentence.set("oxpoold can not be reached (" + process.local_host()->reason() +
               "); pools and mutexes hold for this process and its forks only "
               "(oxpool.on_unavailable=local)");
  log_line(sentence.text);
}

// Goes with the thread, whether or not PHP says that the thread ends.
thread_local std::unique_ptr<Worker> this_threads_worker;

}  // namespace

Worker& Worker::here() {
  if (this_threads_worker == nullptr) this_threads_worker = std::make_unique<Worker>();
  return *this_threads_worker;
}

Worker* Worker::existing() { return this_threads_worker.get(); }

void Worker::end_thread() { this_threads_worker.reset(); }

Worker::~Worker() {
  Sleep::end();
  end_all_acquires();
  wake_stream.reset();
  mutexes.forget_request();
  while (pools_ != nullptr) remove(*pools_);
}

Error Worker::attach() {
  if (lane_ != nullptr) return Error::ok();
  if (CG(compiler_options) & ZEND_COMPILE_PRELOAD) {
    return Error::make(Status::kUnavailable,
                       "nothing can be shared while preloading: the workers are forked afterwards");
  }
  std::shared_ptr<Process> process;
  if (Error error = share_process(process_, &process)) return error;
  std::unique_ptr<Lane> lane;
  if (Error error = Lane::open(*process, &lane)) return error;
  process_ = std::move(process);
  lane_ = std::move(lane);
  if (wake_stream != nullptr) wake_stream->join(*lane_);
  leave_sockets_to_parents();
  say_if_local(*process_);
  return Error::ok();
}

Error Worker::attach(WorkerPool& pool) {
  if (pool.budget != nullptr) return Error::ok();
  return lane_->attach_pool(pool.name, pool.request, &pool.budget);
}

Error Worker::request(WorkerPool& pool, const shm::PoolRequest& request) {
  const bool differs = pool.request != request;
  pool.request = request;
  if (pool.budget == nullptr) return attach(pool);
  if (!differs) return Error::ok();
  return lane_->request_settings(*pool.budget, request);
}

void Worker::detach() {
  for (PendingAcquire* pending = pending_; pending != nullptr; pending = pending->older) {
    pending->acquire.reset();
  }
  for (WorkerPool* pool = pools_; pool != nullptr; pool = pool->next) pool->budget.reset();
  if (wake_stream != nullptr) wake_stream->leave();
  if (forked()) wake_stream.reset();
  mutexes.detach(process_, std::move(lane_));
  // process_ stays until the next attachment, which must be another one.
}

HashKey Worker::name_key() const {
  const uint64_t* identity = process_->view().header().identity;
  return HashKey{{identity[0], identity[1]}};
}

WorkerPool& Worker::join(const std::string& name) {
  WorkerPool*& found = pools_by_name_[name];
  if (found != nullptr && !found->name_removed()) return *found;
  found = new WorkerPool(*this, name);
  found->next = pools_;
  if (pools_ != nullptr) pools_->previous = found;
  pools_ = found;
  return *found;
}

WorkerPool* Worker::find(const std::string& name) const {
  const auto found = pools_by_name_.find(name);
  return found == pools_by_name_.end() || found->second->name_removed() ? nullptr : found->second;
}

void Worker::remove(WorkerPool& pool) {
  const auto found = pools_by_name_.find(pool.name);
  if (found != pools_by_name_.end() && found->second == &pool) pools_by_name_.erase(found);
  // Dropped while the request goes on: the program is through with it.
  if (!ending && pool.budget != nullptr) pool.budget->forget_if_unused();
  (pool.previous != nullptr ? pool.previous->next : pools_) = pool.next;
  if (pool.next != nullptr) pool.next->previous = pool.previous;
  delete &pool;
}

PendingAcquire& Worker::begin_acquire(Pool& budget, int64_t timeout_ns, int64_t started_ns,
                                      bool again) {
  auto* pending = new PendingAcquire;
  pending->acquire.emplace(budget, timeout_ns, started_ns, again);
  pending->older = pending_;
  pending_ = pending;
  return *pending;
}

void Worker::end_acquire(PendingAcquire& pending) {
  for (PendingAcquire** link = &pending_; *link != nullptr; link = &(*link)->older) {
    if (*link != &pending) continue;
    *link = pending.older;
    break;
  }
  delete &pending;
}

void Worker::end_all_acquires() {
  while (pending_ != nullptr) end_acquire(*pending_);
}

}  // namespace oxpool::php
