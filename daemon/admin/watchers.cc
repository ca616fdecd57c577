#include "daemon/admin/watchers.h"

#include <grpcpp/alarm.h>

#include "shm/clock.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

// The first snapshot of a stream may be one that others have just got.
constexpr int64_t kFreshNs = 100'000'000;

class RefusedStream : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit RefusedStream(Status status) { Finish(std::move(status)); }
  void OnDone() override { delete this; }
};

gpr_timespec after(int64_t ns) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(ns, GPR_TIMESPAN));
}

Status stopping() {
  return Status(StatusCode::UNAVAILABLE, "oxpoold is stopping; watch again when it is back");
}

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* refused_stream(Status status) {
  return new RefusedStream(std::move(status));
}

// One stream: it sends, waits for the next instant, sends. Either a write or the alarm is under
// way, never both, and Finish is called from the end of one of them.
class Watcher : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  Watcher(Watchers& all, uint64_t pool_id, int64_t interval_ns)
      : all_(all), pool_id_(pool_id), interval_ns_(interval_ns) {}

  void start() { send(shm::monotonic_ns() - kFreshNs); }

  void end(Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!ended_) end_status_ = std::move(status);
    ended_ = true;
    if (sleeping_) alarm_.Cancel();
  }

  void OnCancel() override { end(Status(StatusCode::CANCELLED, "the watcher went away")); }

  void OnWriteDone(bool ok) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!ok && !ended_) {
      ended_ = true;
      end_status_ = Status(StatusCode::CANCELLED, "the watcher went away");
    }
    if (ended_) return finish(&lock);
    const int64_t now_ns = shm::monotonic_ns();
    const int64_t next_ns = (now_ns / interval_ns_ + 1) * interval_ns_;
    sleeping_ = true;
    alarm_.Set(after(next_ns - now_ns), [this, next_ns](bool) { wake(next_ns); });
  }

  void OnDone() override {
    all_.forget(this);
    delete this;
  }

 private:
  void wake(int64_t earliest_ns) {
    std::unique_lock<std::mutex> lock(mutex_);
    sleeping_ = false;
    if (ended_) return finish(&lock);
    lock.unlock();
    send(earliest_ns);
  }

  // The last thing done to *this: OnDone may come while Finish is still under way.
  void finish(std::unique_lock<std::mutex>* lock) {
    Status status = end_status_;
    lock->unlock();
    Finish(std::move(status));
  }

  void send(int64_t earliest_ns) {
    const auto snapshot = all_.snapshots_.get(earliest_ns);
    if (pool_id_ == 0) {
      message_ = snapshot->encoded;
      return StartWrite(&message_);
    }
    const v1::Pool* pool = snapshot->find(pool_id_);
    if (pool == nullptr) {
      return Finish(Status(StatusCode::NOT_FOUND,
                           "the pool with id " + std::to_string(pool_id_) + " is gone"));
    }
    v1::PoolsSnapshot one;
    one.set_taken_unix_ms(snapshot->message.taken_unix_ms());
    one.set_taken_us(snapshot->message.taken_us());
    *one.add_pools() = *pool;
    message_ = encode(one);
    StartWrite(&message_);
  }

  Watchers& all_;
  const uint64_t pool_id_;
  const int64_t interval_ns_;
  grpc::ByteBuffer message_;  // unchanged while it is being written

  std::mutex mutex_;  // guards what follows
  grpc::Alarm alarm_;
  bool sleeping_ = false;
  bool ended_ = false;
  Status end_status_;
};

Watchers::~Watchers() {
  std::unique_lock<std::mutex> lock(mutex_);
  gone_.wait(lock, [this] { return open_.empty(); });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* Watchers::open(uint64_t pool_id, int64_t interval_ns) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (closed_) return refused_stream(stopping());
  if (open_.size() >= kMost) {
    return refused_stream(
        Status(StatusCode::RESOURCE_EXHAUSTED,
               std::to_string(kMost) + " watchers are there already; end others first"));
  }
  auto* watcher = new Watcher(*this, pool_id, interval_ns);
  open_.insert(watcher);
  lock.unlock();
  watcher->start();
  return watcher;
}

size_t Watchers::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return open_.size();
}

void Watchers::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  for (Watcher* watcher : open_) watcher->end(stopping());
}

void Watchers::forget(Watcher* watcher) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(watcher);
  gone_.notify_all();
}

}  // namespace oxpool::daemon::admin
