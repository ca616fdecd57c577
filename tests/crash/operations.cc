#include "tests/crash/operations.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/locks.h"
#include "shm/queue.h"
#include "shm/repair.h"
#include "shm/slot.h"

namespace oxpool::crash {

namespace {

constexpr const char* kPool = "p";

void nothing(World&) {}
void nothing_more(World&, Worker&) {}
bool always(World&) { return true; }

Worker& first(World& world) { return *world.survivors()[0]; }
Worker& second(World& world) { return *world.survivors()[1]; }

void seat_victim(Worker& victim, uint32_t max_size) {
  shm::PoolRequest request;
  request.max_size = max_size;
  request.patience_ms = 0;
  if (victim.lane->attach_pool(kPool, request, &victim.pool)) std::abort();
}

void one_bystander(World& world) { world.survivor(kPool, 2); }
// The only unit is the bystander's.
void one_holder(World& world) {
  world.survivor(kPool, 1).take();
  world.survivor(kPool, 1);
}
void two_waiters_of_one(World& world) {
  world.survivor(kPool, 1);
  world.survivor(kPool, 1);
}
void both_wait(World& world) {
  first(world).join();
  second(world).join();
}
bool first_in_line_is_served(World& world) {
  return first(world).served() && !second(world).served();
}
void holder_lets_go(World& world) { first(world).drop_all(); }

void victim_sits(World&, Worker& victim) { seat_victim(victim, 2); }
void victim_holds_the_one(World&, Worker& victim) {
  seat_victim(victim, 1);
  victim.take();
}
void victim_has_an_idle_one(World& world, Worker& victim) {
  victim_holds_the_one(world, victim);
  victim.pool->release(*victim.held.back());
  victim.held.clear();
}
void victim_releases(World&, Worker& victim) {
  LocalSlot& slot = *victim.held.back();
  if (victim.pool->release(slot) == Release::kClose) victim.pool->finish_close(slot);
}

void attach(World&, Worker& victim) {
  std::unique_ptr<Lane> lane;
  if (Lane::open(*victim.process, &lane)) std::abort();
  lane.release();  // killed before it could be closed
}
void make_pool(World&, Worker& victim) { seat_victim(victim, 40); }  // two chunks
void detach(World&, Worker& victim) { victim.pool.reset(); }
void mint(World&, Worker& victim) { victim.take(); }
void mint_fails(World&, Worker& victim) {
  Acquire attempt(*victim.pool, 0, shm::monotonic_ns());
  victim.pool->mint_failed(*attempt.step(0).slot);
}
void reuse(World&, Worker& victim) { victim.pool->reuse_idle(); }
void enqueue(World&, Worker& victim) { victim.join(); }
void victim_waits(World&, Worker& victim) {
  seat_victim(victim, 1);
  victim.join(shm::kNanosPerMilli);
}
void time_out(World&, Worker& victim) {
  while (victim.acquire->step(0).next == Next::kWait) {
  }
}
void flagged_by_the_daemon(World& world) {
  shm::PoolRecord& pool = world.pool(kPool);
  shm::for_each_slot(world.view(), pool, [&](uint32_t, shm::SlotRecord& slot) {
    shm::flag_idle(world.view(), slot, shm::CloseReason::kEvict);
  });
}
void close_flagged(World&, Worker& victim) {
  if (LocalSlot* slot = victim.pool->take_flagged()) victim.pool->finish_close(*slot);
}
void resize_to(World& world, Worker& victim, uint32_t cap) {
  shm::PoolRecord& pool = world.pool(kPool);
  pool.operator_max_size = cap;
  shm::PoolLock lock(world.view(), pool, victim.lane->lock_context(), shm::kLockPatienceNs);
  shm::serve(lock);
}
void grow(World& world, Worker& victim) { resize_to(world, victim, 4); }
void shrink(World& world, Worker& victim) { resize_to(world, victim, 1); }
void repair(World& world, Worker& victim) {
  shm::PoolLock lock(world.view(), world.pool(kPool), victim.lane->lock_context(),
                     shm::kLockPatienceNs);
  shm::repair_pool(lock);
}
// Somebody else died holding the only unit, and the victim buries it.
void one_dead_holder(World& world) {
  const pid_t pid = fork();
  if (pid == 0) {
    Worker dead(world.runtime_dir(), kPool, 1);
    dead.take();
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  two_waiters_of_one(world);
}
void bury(World& world, Worker& victim) {
  const shm::Liveness& liveness = victim.process->liveness();
  for (uint32_t i = 1; i < world.view().high_water(shm::kProcessTable); ++i) {
    const uint64_t incarnation = world.view().process(i)->incarnation;
    if (incarnation != 0 && liveness.process_dead(i, incarnation)) {
      shm::bury_process(world.view(), victim.lane->lock_context(), i, incarnation,
                        shm::monotonic_ns());
    }
  }
}
}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kOperations = {
      {"attach (open a lane)", one_bystander, nothing_more, attach, nothing, always},
      {"make a pool of two chunks", nothing, nothing_more, make_pool, nothing, always},
      {"take a seat", one_bystander, nothing_more, [](World&, Worker& v) { seat_victim(v, 2); },
       nothing, always},
      {"leave a seat", one_bystander, victim_sits, detach, nothing, always},
      {"mint", one_bystander, victim_sits, mint, nothing, always},
      {"mint that fails", one_bystander, victim_sits, mint_fails, nothing, always},
      {"hot acquire", one_bystander, victim_has_an_idle_one, reuse, nothing, always},
      {"hot release", one_bystander, victim_holds_the_one, victim_releases, nothing, always},
      {"enqueue", one_holder, [](World&, Worker& v) { seat_victim(v, 1); }, enqueue, nothing,
       always},
      {"enqueue behind another waiter", one_holder, [](World&, Worker& v) { seat_victim(v, 1); },
       enqueue, [](World& world) { second(world).join(); },
       [](World& world) {
         holder_lets_go(world);
         return second(world).served();
       }},
      {"timeout of a waiter", one_holder, victim_waits, time_out,
       [](World& world) { second(world).join(); },
       [](World& world) {
         holder_lets_go(world);
         return second(world).served();
       }},
      {"hand-over", two_waiters_of_one, victim_holds_the_one, victim_releases, both_wait,
       first_in_line_is_served},
      {"close of a flagged slot", two_waiters_of_one, victim_has_an_idle_one, close_flagged,
       [](World& world) {
         flagged_by_the_daemon(world);
         both_wait(world);
       },
       first_in_line_is_served},
      {"resize up", one_bystander, victim_sits, grow, nothing, always},
      {"resize down", one_bystander, victim_sits, shrink, nothing, always},
      {"repair", two_waiters_of_one, victim_holds_the_one, repair, both_wait,
       first_in_line_is_served},
      {"burial", one_dead_holder, nothing_more, bury, both_wait, first_in_line_is_served},
  };
  return kOperations;
}

}  // namespace oxpool::crash
