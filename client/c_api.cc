#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "client/acquire.h"
#include "client/oxpool.h"
#include "client/pool.h"
#include "client/process.h"
#include "shm/clock.h"

// The opaque handles of oxpool.h.
struct oxpool_process {
  std::unique_ptr<oxpool::Process> process;
};
struct oxpool_lane {
  std::unique_ptr<oxpool::Lane> lane;
};
struct oxpool_pool {
  std::unique_ptr<oxpool::Pool> pool;
  std::optional<oxpool::Acquire> acquire;  // between two steps
};

namespace {

using oxpool::LocalSlot;
using oxpool::Next;
using oxpool::Status;

thread_local std::string g_last_error;

oxpool_status fail(oxpool_status status, std::string message) {
  g_last_error = std::move(message);
  return status;
}

oxpool_status status_of(Status status) {
  switch (status) {
    case Status::kOk:
      return OXPOOL_OK;
    case Status::kTimeout:
      return OXPOOL_TIMEOUT;
    case Status::kSaturated:
      return OXPOOL_SATURATED;
    case Status::kDeadlock:
      return OXPOOL_DEADLOCK;
    case Status::kClosed:
      return OXPOOL_CLOSED;
    case Status::kCapacity:
      return OXPOOL_CAPACITY;
    case Status::kFenced:
      return OXPOOL_FENCED;
    case Status::kForked:
      return OXPOOL_FORKED;
    case Status::kUnreachable:
    case Status::kUnavailable:
      return OXPOOL_UNAVAILABLE;
    case Status::kRefused:
      return OXPOOL_REFUSED;
    case Status::kAbi:
      return OXPOOL_ABI;
    case Status::kWrongType:
      return OXPOOL_WRONG_TYPE;
    case Status::kCorrupted:  // of mutexes, which are not here
    case Status::kRemoved:
    case Status::kTooLarge:
    case Status::kInterrupted:
    case Status::kProtocol:
      return OXPOOL_PROTOCOL;
  }
  return OXPOOL_PROTOCOL;
}

oxpool_status fail(const oxpool::Error& error) {
  return error ? fail(status_of(error.status), error.message) : OXPOOL_OK;
}

oxpool_status lost(const oxpool::Lane& lane) {
  return lane.process().forked()
             ? fail(OXPOOL_FORKED, "this handle was inherited by fork(); attach in the child")
             : fail(OXPOOL_FENCED, "this attachment is over; drop its resources and attach anew");
}

// Nothing may be thrown into C: what does throw here is memory running out.
template <typename Body>
oxpool_status guarded(Body body) noexcept {
  try {
    g_last_error.clear();
    return body();
  } catch (const std::exception& error) {
    return fail(OXPOOL_CAPACITY, error.what());
  }
}

LocalSlot* local(oxpool_slot* slot) { return reinterpret_cast<LocalSlot*>(slot); }
oxpool_slot* opaque(LocalSlot* slot) { return reinterpret_cast<oxpool_slot*>(slot); }

// The end of an acquire: its status, in words, and no acquire is under way any more.
oxpool_status end_acquire(oxpool_pool* pool, Next outcome, oxpool_status status) {
  const std::string message = status == OXPOOL_OK ? "" : pool->acquire->describe(outcome);
  pool->acquire.reset();
  return status == OXPOOL_OK ? OXPOOL_OK : fail(status, message);
}

oxpool_status apply(oxpool_pool* pool, oxpool::Acquire::Step step, oxpool_todo* todo,
                    oxpool_slot** slot) {
  *slot = opaque(step.slot);
  switch (step.next) {
    case Next::kReuse:
      *todo = OXPOOL_USE;
      return end_acquire(pool, step.next, OXPOOL_OK);
    case Next::kMint:
      *todo = OXPOOL_MINT;
      return end_acquire(pool, step.next, OXPOOL_OK);
    case Next::kClose:
      *todo = OXPOOL_CLOSE;
      return OXPOOL_OK;
    case Next::kWait:
      *todo = OXPOOL_WAIT;
      return OXPOOL_OK;
    case Next::kTimeout:
      return end_acquire(pool, step.next, OXPOOL_TIMEOUT);
    case Next::kSaturated:
      return end_acquire(pool, step.next, OXPOOL_SATURATED);
    case Next::kDeadlock:
      return end_acquire(pool, step.next, OXPOOL_DEADLOCK);
    case Next::kCapacity:
    case Next::kCrowded:
      return end_acquire(pool, step.next, OXPOOL_CAPACITY);
    case Next::kClosed:
      return end_acquire(pool, step.next, OXPOOL_CLOSED);
    case Next::kLost:
      break;
  }
  pool->acquire.reset();
  return lost(pool->pool->lane());
}

}  // namespace

extern "C" {

const char* oxpool_last_error(void) { return g_last_error.c_str(); }

oxpool_status oxpool_attach(const char* runtime_dir, const char* namespace_name,
                            const char* program, int timeout_ms, oxpool_process** process) {
  return guarded([&] {
    oxpool::ProcessOptions options;
    if (runtime_dir != nullptr) options.runtime_dir = runtime_dir;
    if (namespace_name != nullptr) options.namespace_name = namespace_name;
    if (program != nullptr) options.program = program;
    options.connect_timeout_ms = timeout_ms;
    auto result = std::make_unique<oxpool_process>();
    if (oxpool::Error error = oxpool::Process::attach(options, &result->process)) {
      return fail(error);
    }
    *process = result.release();
    return OXPOOL_OK;
  });
}

void oxpool_detach(oxpool_process* process) { delete process; }

oxpool_status oxpool_lane_open(oxpool_process* process, oxpool_lane** lane) {
  return guarded([&] {
    if (process->process->forked()) {
      return fail(OXPOOL_FORKED, "this handle was inherited by fork(); attach in the child");
    }
    auto result = std::make_unique<oxpool_lane>();
    if (oxpool::Error error = oxpool::Lane::open(*process->process, &result->lane)) {
      return fail(error);
    }
    *lane = result.release();
    return OXPOOL_OK;
  });
}

void oxpool_lane_close(oxpool_lane* lane) { delete lane; }

oxpool_status oxpool_pool_open(oxpool_lane* lane, const void* name, size_t name_bytes,
                               uint32_t max_size, uint64_t idle_timeout_ms, oxpool_pool** pool) {
  return guarded([&] {
    if (name_bytes == 0 || name_bytes > oxpool::shm::kNameBytes) {
      return fail(OXPOOL_INVALID,
                  "a pool's name has 1 to 255 bytes, this one has " + std::to_string(name_bytes));
    }
    if (max_size == 0) return fail(OXPOOL_INVALID, "max_size is 0; a pool has at least one unit");
    oxpool::shm::PoolRequest request;
    request.max_size = max_size;
    request.idle_timeout_ms = static_cast<int64_t>(idle_timeout_ms);
    auto result = std::make_unique<oxpool_pool>();
    const std::string_view text(static_cast<const char*>(name), name_bytes);
    if (oxpool::Error error = lane->lane->attach_pool(text, request, &result->pool)) {
      return fail(error);
    }
    *pool = result.release();
    return OXPOOL_OK;
  });
}

void oxpool_pool_close(oxpool_pool* pool) {
  if (pool != nullptr) pool->acquire.reset();  // before the pool it waits at
  delete pool;
}

oxpool_status oxpool_acquire(oxpool_pool* pool, int64_t timeout_ms, uint32_t slice_ms,
                             oxpool_todo* todo, oxpool_slot** slot) {
  return guarded([&] {
    if (!pool->acquire) {
      const int64_t timeout_ns =
          timeout_ms < 0 ? oxpool::Acquire::kForever : oxpool::shm::nanos_of_millis(timeout_ms);
      pool->acquire.emplace(*pool->pool, timeout_ns, oxpool::shm::monotonic_ns());
    }
    return apply(pool, pool->acquire->step(slice_ms * oxpool::shm::kNanosPerMilli), todo, slot);
  });
}

void oxpool_acquire_cancel(oxpool_pool* pool) {
  if (pool->acquire) pool->acquire->interrupt();
  pool->acquire.reset();
}

oxpool_status oxpool_minted(oxpool_pool* pool, oxpool_slot* slot, void* resource,
                            int64_t factory_ns) {
  return guarded([&] {
    local(slot)->resource = resource;
    return pool->pool->minted(*local(slot), factory_ns) ? OXPOOL_OK : lost(pool->pool->lane());
  });
}

void oxpool_mint_failed(oxpool_pool* pool, oxpool_slot* slot) {
  pool->pool->mint_failed(*local(slot));
}

oxpool_status oxpool_release(oxpool_pool* pool, oxpool_slot* slot, oxpool_todo* todo) {
  return guarded([&] {
    switch (pool->pool->release(*local(slot))) {
      case oxpool::Release::kKept:
        *todo = OXPOOL_NOTHING;
        return OXPOOL_OK;
      case oxpool::Release::kClose:
        *todo = OXPOOL_CLOSE;
        return OXPOOL_OK;
      case oxpool::Release::kLost:
        break;
    }
    return lost(pool->pool->lane());
  });
}

oxpool_status oxpool_discard(oxpool_pool* pool, oxpool_slot* slot) {
  return guarded([&] {
    return pool->pool->begin_close(*local(slot), oxpool::shm::CloseReason::kDiscard)
               ? OXPOOL_OK
               : lost(pool->pool->lane());
  });
}

oxpool_slot* oxpool_take_idle(oxpool_pool* pool, int all) {
  oxpool::Pool& inner = *pool->pool;
  return opaque(all != 0 ? inner.take_idle(oxpool::shm::CloseReason::kEvict)
                         : inner.take_flagged());
}

void oxpool_closed(oxpool_pool* pool, oxpool_slot* slot) { pool->pool->finish_close(*local(slot)); }

void* oxpool_resource(const oxpool_slot* slot) {
  return reinterpret_cast<const LocalSlot*>(slot)->resource;
}

oxpool_status oxpool_pool_counts(const oxpool_pool* pool, oxpool_counts* counts) {
  return guarded([&] {
    if (!pool->pool->lane().usable()) return lost(pool->pool->lane());
    const oxpool::shm::PoolCounts now = pool->pool->counts();
    *counts = {now.in_use, now.idle, now.minting, now.closing, now.waiting, now.max_size};
    return OXPOOL_OK;
  });
}

uint64_t oxpool_pool_id(const oxpool_pool* pool) { return pool->pool->id(); }

}  // extern "C"
