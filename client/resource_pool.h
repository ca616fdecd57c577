// For C++ programs: a pool of resources with a factory, a destroy, and leases that come back by
// scope.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/acquire.h"
#include "client/hang_up.h"
#include "client/pool.h"
#include "shm/clock.h"

namespace oxpool {

// Thrown by ResourcePool; `status()` for programs, what() for people.
class PoolError : public std::runtime_error {
 public:
  PoolError(Status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

// A host-wide cap around resources of type T, which stay in this thread.
//
// Thread safety: one thread, the lane's. Leases must not outlive the pool.
template <typename T>
class ResourcePool {
 public:
  using Factory = std::function<std::unique_ptr<T>()>;  // may throw: the unit goes back
  using Destroy = std::function<void(T&)>;  // before the resource is deleted; must not throw

  // A resource in use; given back when it goes.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(other.pool_), slot_(std::exchange(other.slot_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (slot_ != nullptr) pool_->give_back(*slot_);
    }
    T& operator*() const { return *static_cast<T*>(slot_->resource); }
    T* operator->() const { return static_cast<T*>(slot_->resource); }
    // Closes the resource instead of keeping it.
    void discard() { pool_->discard(*std::exchange(slot_, nullptr)); }

   private:
    friend class ResourcePool;
    Lease(ResourcePool* pool, LocalSlot* slot) : pool_(pool), slot_(slot) {}
    ResourcePool* pool_;
    LocalSlot* slot_;
  };

  // Throws PoolError when the pool cannot be attached.
  ResourcePool(Lane& lane, const std::string& name, const shm::PoolRequest& request,
               Factory factory, Destroy destroy = nullptr)
      : factory_(std::move(factory)), destroy_(std::move(destroy)) {
    if (Error error = lane.attach_pool(name, request, &pool_)) {
      throw PoolError(error.status, error.message);
    }
  }
  ~ResourcePool() {
    while (LocalSlot* slot = pool_->take_idle(shm::CloseReason::kPoolDropped)) close(*slot);
    while (LocalSlot* slot = pool_->take_abandoned()) drop(*slot);
  }
  ResourcePool(const ResourcePool&) = delete;
  ResourcePool& operator=(const ResourcePool&) = delete;

  // Waits without limit. Throws PoolError, or what the factory throws.
  Lease acquire() { return *get(Acquire::kForever); }
  // Throws PoolError with Status::kTimeout when no unit comes free in time.
  Lease acquire_for(std::chrono::nanoseconds timeout) {
    return *get(std::max<int64_t>(timeout.count(), 1));
  }
  // Nothing when every unit is taken.
  std::optional<Lease> try_acquire() { return get(0); }

  // Closes what was flagged (idle timeouts, hand-overs). Call it when this thread is otherwise
  // idle.
  void tick() {
    attend();
    while (LocalSlot* slot = pool_->take_flagged()) close(*slot);
  }

  Pool& pool() { return *pool_; }

 private:
  void attend() {
    if (pool_->lane().usable() && pool_->lane().has_attention()) pool_->lane().attend();
  }

  std::optional<Lease> get(int64_t timeout_ns) {
    attend();
    if (pool_->lane().usable()) {
      if (LocalSlot* slot = pool_->reuse_idle()) return Lease(this, slot);
    }
    Acquire acquire(*pool_, timeout_ns, shm::monotonic_ns());
    for (;;) {
      const Acquire::Step step = acquire.step(wait_slice_ns(*pool_, false));
      switch (step.next) {
        case Next::kReuse:
          return Lease(this, step.slot);
        case Next::kMint:
          return mint(*step.slot);
        case Next::kClose:
          close(*step.slot);
          break;
        case Next::kWait:
          attend();
          break;
        case Next::kSaturated:
          return std::nullopt;
        case Next::kTimeout:
          throw PoolError(Status::kTimeout, acquire.describe(step.next));
        case Next::kDeadlock:
          throw PoolError(Status::kDeadlock, acquire.describe(step.next));
        case Next::kCapacity:
        case Next::kCrowded:
          throw PoolError(Status::kCapacity, acquire.describe(step.next));
        case Next::kClosed:
          throw PoolError(Status::kClosed, acquire.describe(step.next));
        case Next::kLost:
          throw PoolError(pool_->lane().unusable_status(), "this attachment is over; attach anew");
      }
    }
  }

  Lease mint(LocalSlot& slot) {
    const std::vector<int> before =
        pool_->close_wait_ms() > 0 ? open_descriptors() : std::vector<int>{};
    const int64_t started_ns = shm::monotonic_ns();
    std::unique_ptr<T> resource;
    try {
      resource = factory_();
    } catch (...) {
      pool_->mint_failed(slot);
      throw;
    }
    const int64_t factory_ns = shm::monotonic_ns() - started_ns;
    if (pool_->close_wait_ms() > 0) slot.sockets = sockets_since(before);
    slot.resource = resource.get();
    if (!pool_->minted(slot, factory_ns)) {
      slot.resource = nullptr;
      throw PoolError(pool_->lane().unusable_status(), "this attachment is over; attach anew");
    }
    resource.release();
    return Lease(this, &slot);
  }

  void give_back(LocalSlot& slot) {
    switch (pool_->release(slot)) {
      case Release::kKept:
        return;
      case Release::kClose:
        close(slot);
        return;
      case Release::kLost:
        drop(slot);
        return;
    }
  }

  void discard(LocalSlot& slot) {
    if (pool_->begin_close(slot, shm::CloseReason::kDiscard)) {
      close(slot);
    } else {
      drop(slot);
    }
  }

  void close(LocalSlot& slot) {
    HangUp hang_up(slot.sockets);
    drop(slot);
    hang_up.wait(pool_->close_wait_ms());
    pool_->finish_close(slot);
  }

  void drop(LocalSlot& slot) {
    std::unique_ptr<T> resource(static_cast<T*>(std::exchange(slot.resource, nullptr)));
    if (pool_->lane().process().forked()) {
      resource.release();  // the parent's: closing it here would say goodbye on its connection
      return;
    }
    if (resource != nullptr && destroy_) destroy_(*resource);
  }

  Factory factory_;
  Destroy destroy_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace oxpool
