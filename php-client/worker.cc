#include "worker.h"

#include <mutex>

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

bool same(const shm::PoolRequest& one, const shm::PoolRequest& other) {
  return one.max_size == other.max_size && one.idle_timeout_ms == other.idle_timeout_ms &&
         one.patience_ms == other.patience_ms && one.close_wait_ms == other.close_wait_ms &&
         one.rebalance == other.rebalance;
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
  end_all_acquires();
  while (pools_ != nullptr) remove(*pools_);
}

Error Worker::attach() {
  if (lane_ != nullptr) return Error::ok();
  if (CG(compiler_options) & ZEND_COMPILE_PRELOAD) {
    return Error::make(Status::kUnavailable,
                       "pools can not be used while preloading: the workers are forked afterwards");
  }
  std::shared_ptr<Process> process;
  if (Error error = share_process(process_, &process)) return error;
  std::unique_ptr<Lane> lane;
  if (Error error = Lane::open(*process, &lane)) return error;
  process_ = std::move(process);
  lane_ = std::move(lane);
  return Error::ok();
}

Error Worker::attach(WorkerPool& pool) {
  if (pool.budget != nullptr) return Error::ok();
  return lane_->attach_pool(pool.name, pool.request, &pool.budget);
}

Error Worker::request(WorkerPool& pool, const shm::PoolRequest& request) {
  const bool differs = !same(pool.request, request);
  pool.request = request;
  if (pool.budget == nullptr) return attach(pool);
  if (!differs) return Error::ok();
  // A second seat for an instant: attaching is how settings are asked for.
  std::unique_ptr<Pool> asking;
  return lane_->attach_pool(pool.name, request, &asking);
}

void Worker::detach() {
  for (PendingAcquire* pending = pending_; pending != nullptr; pending = pending->older) {
    pending->acquire.reset();
  }
  for (WorkerPool* pool = pools_; pool != nullptr; pool = pool->next) pool->budget.reset();
  lane_.reset();
  // process_ stays until the next attachment, which must be another one.
}

HashKey Worker::name_key() const {
  const uint64_t* identity = process_->view().header().identity;
  return HashKey{{identity[0], identity[1]}};
}

WorkerPool& Worker::join(const std::string& name) {
  WorkerPool*& found = pools_by_name_[name];
  if (found != nullptr) return *found;
  found = new WorkerPool(*this, name);
  found->next = pools_;
  if (pools_ != nullptr) pools_->previous = found;
  pools_ = found;
  return *found;
}

void Worker::remove(WorkerPool& pool) {
  pools_by_name_.erase(pool.name);
  (pool.previous != nullptr ? pool.previous->next : pools_) = pool.next;
  if (pool.next != nullptr) pool.next->previous = pool.previous;
  delete &pool;
}

PendingAcquire& Worker::begin_acquire(Pool& budget, int64_t timeout_ns, int64_t started_ns) {
  auto* pending = new PendingAcquire;
  pending->acquire.emplace(budget, timeout_ns, started_ns);
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
