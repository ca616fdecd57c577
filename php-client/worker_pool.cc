#include "worker_pool.h"

#include <utility>

#include "handle_class.h"
#include "worker.h"

namespace oxpool::php {

PoolCore& WorkerPool::minter(PoolCore& fallback) const {
  for (PoolCore* core = cores; core != nullptr; core = core->older) {
    if (!core->dropped) return *core;
  }
  return fallback;
}

Holding& add_holding(WorkerPool& pool, PoolCore& minter, LocalSlot& slot) {
  auto* holding = new Holding;
  holding->slot = &slot;
  holding->pool = &pool;
  holding->minter = &minter;
  ++minter.references;
  holding->older = pool.holdings;
  if (pool.holdings != nullptr) pool.holdings->newer = holding;
  pool.holdings = holding;
  slot.resource = holding;
  return *holding;
}

void remove_holding(Holding& holding) {
  if (holding.handle != nullptr) holding.handle->holding = nullptr;
  (holding.newer != nullptr ? holding.newer->older : holding.pool->holdings) = holding.older;
  if (holding.older != nullptr) holding.older->newer = holding.newer;
  WorkerPool& pool = *holding.pool;
  ++pool.pins;
  forget_minter(holding);
  delete &holding;
  --pool.pins;
  remove_if_unused(pool);
}

void forget_minter(Holding& holding) {
  if (holding.minter != nullptr) release(std::exchange(holding.minter, nullptr));
}

namespace {
// A worker that did not use a pool for so many requests is not expected to come again.
constexpr uint32_t kMostRequestsAway = 100;
}  // namespace

void remove_if_unused(WorkerPool& pool) {
  if (pool.cores != nullptr || pool.holdings != nullptr || pool.pins > 0) return;
  // Where slots outlive requests, so does the place at the pool: who has no slot is who is to wait
  // at its gate, and how often this worker comes decides whose slot goes first.
  const bool comes_again = (pool.parks || pool.gates) && pool.requests_away < kMostRequestsAway;
  if (comes_again && !pool.name_removed() && !pool.worker.forked()) return;
  pool.worker.remove(pool);
}

}  // namespace oxpool::php
