#include "tests/crash/operations.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "shm/clock.h"
#include "shm/gate.h"
#include "shm/gated.h"
#include "shm/lane.h"
#include "shm/locks.h"
#include "shm/place.h"
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
void victim_waits_for_ever(World&, Worker& victim) {
  seat_victim(victim, 1);
  victim.join();
}
void accept(World&, Worker& victim) { victim.served(); }
void cancel(World&, Worker& victim) { victim.acquire->cancel(); }
// As a release that was killed, or is about to look.
void holder_frees_and_does_not_look(World& world) {
  second(world).join();
  shm::PoolRecord& pool = world.pool(kPool);
  shm::free_slot(world.view(), pool, 0, shm::load_slot(*world.view().slot(pool, 0)));
  first(world).held.clear();
}
void try_without_waiting(World&, Worker& victim) { victim.take(); }
void set_gate(World& world, Worker& by, shm::Gate gate) {
  shm::set_gate(world.view(), world.pool(kPool), by.lane->lock_context(), gate, 0);
}
void pause(World& world, Worker& victim) { set_gate(world, victim, shm::Gate::kWait); }
void open(World& world, Worker& victim) { set_gate(world, victim, shm::Gate::kOpen); }
void paused_and_both_wait(World& world) {
  pause(world, first(world));
  both_wait(world);
}
bool served_once_it_is_open(World& world) {
  if (!shm::is_open(world.pool(kPool))) {
    if (first(world).served()) return false;
    open(world, first(world));
  }
  return first_in_line_is_served(world);
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
// Without sockets there would be nothing that it may close; this one is no open descriptor.
void victim_sleeps_with_an_idle_one(World& world, Worker& victim) {
  victim_holds_the_one(world, victim);
  victim.held.back()->sockets = {{-1, 0}};
  victim.pool->release(*victim.held.back());
  victim.held.clear();
}
void handle_the_wake(World&, Worker& victim) { victim.pool->close_flagged_asleep(); }
void pass_the_gate(World& world, Worker& victim) {
  shm::come_to_gate(victim.lane->record(), world.view(), world.pool(kPool));
  shm::leave_gate(victim.lane->record(), world.pool(kPool));
}
bool nobody_is_gated(World& world) {
  uint64_t seen = 0;
  for (int look = 0; look < 2; ++look) shm::recount_gated(world.view(), world.pool(kPool), &seen);
  return world.pool(kPool).gated == 0;
}
void one_is_at_the_gate(World& world) {
  one_holder(world);
  shm::come_to_gate(first(world).lane->record(), world.view(), world.pool(kPool));
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
// As a waiter does it when no daemon lives: what the dead have at this pool.
void bury_at_pool(World& world, Worker& victim) {
  shm::PoolRecord& pool = world.pool(kPool);
  const shm::Liveness& liveness = victim.process->liveness();
  shm::for_each_slot(world.view(), pool, [&](uint32_t, shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (!word.owned() || !liveness.dead(word.owner())) return;
    shm::PoolLock lock(world.view(), pool, victim.lane->lock_context(), shm::kLockPatienceNs);
    shm::Burial burial;
    if (lock.held()) shm::bury_lane_at_pool(lock, word.owner(), &burial);
  });
}

void mint_ahead(World&, Worker& victim) {
  LocalSlot* slot = victim.pool->reserve_ahead(2);
  if (victim.pool->minted_ahead(*slot, 1000) == Release::kClose) victim.pool->finish_close(*slot);
}
void refuse_mint(World&, Worker& victim) {
  LocalSlot* slot = victim.pool->reserve_ahead(2);
  victim.pool->refuse_minted(*slot, 1000);
  victim.pool->finish_close(*slot);
}
void nobody_may_wait(World& world) { world.pool(kPool).settings.max_waiting = 0; }
void check_idle_one(World&, Worker& victim) {
  LocalSlot* slot = victim.pool->take_to_check(INT64_MAX);
  if (victim.pool->put_back(*slot) == Release::kClose) victim.pool->finish_close(*slot);
}
void reject_idle_one(World&, Worker& victim) {
  LocalSlot* slot = victim.pool->take_warmest();
  victim.pool->reject(*slot, shm::CloseReason::kValidate);
  victim.pool->finish_close(*slot);
}
void one_idle_elsewhere(World& world) {
  Worker& idle = world.survivor(kPool, 2);
  idle.take();
  idle.pool->release(*idle.held.back());
  idle.held.clear();
}
// Both idle ones are flagged for their age, and one of them is spared.
void overdue_but_for_one(World& world) {
  shm::PoolRecord& pool = world.pool(kPool);
  pool.settings.idle_timeout_ms = 1;
  pool.settings.min_idle = 1;
  shm::for_each_slot(world.view(), pool, [&](uint32_t, shm::SlotRecord& slot) {
    slot.changed_ns = 1;
    shm::flag_idle(world.view(), slot, shm::CloseReason::kIdleTimeout);
  });
}
void victim_has_an_idle_one_of_two(World&, Worker& victim) {
  seat_victim(victim, 2);
  victim.take();
  victim.pool->release(*victim.held.back());
  victim.held.clear();
}
void remove_name(World&, Worker& victim) {
  bool removed;
  if (victim.lane->remove_name(kPool, &removed)) std::abort();
}
void remove_name_and_leave(World& world, Worker& victim) {
  remove_name(world, victim);
  victim.pool.reset();
}
void drop_unused(World&, Worker& victim) {
  victim.pool->forget_if_unused();
  victim.pool.reset();
}
void note_place(World& world, Worker&) { shm::note_place(world.view(), "/srv/app/Db.php:41"); }
// No name leads to a record that is neither whole nor free.
bool name_can_be_had(World& world) {
  Worker& fresh = world.survivor(kPool, 2);
  return fresh.take() && fresh.take();
}
}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kPools = {
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
      {"accept of a grant", one_holder, victim_waits_for_ever, accept, holder_lets_go, always},
      {"cancel of a wait that was granted", one_holder, victim_waits_for_ever, cancel,
       [](World& world) {
         holder_lets_go(world);
         second(world).join();
       },
       [](World& world) { return second(world).served(); }},
      {"try that serves who waits", one_holder, [](World&, Worker& v) { seat_victim(v, 1); },
       try_without_waiting, holder_frees_and_does_not_look,
       [](World& world) { return second(world).served(); }},
      {"hand-over", two_waiters_of_one, victim_holds_the_one, victim_releases, both_wait,
       first_in_line_is_served},
      {"close of a flagged slot", two_waiters_of_one, victim_has_an_idle_one, close_flagged,
       [](World& world) {
         flagged_by_the_daemon(world);
         both_wait(world);
       },
       first_in_line_is_served},
      {"close of a flagged slot while its owner sleeps", two_waiters_of_one,
       victim_sleeps_with_an_idle_one, handle_the_wake,
       [](World& world) {
         flagged_by_the_daemon(world);
         both_wait(world);
       },
       first_in_line_is_served},
      {"wait at the accept gate", one_bystander, victim_sits, pass_the_gate, nothing,
       nobody_is_gated},
      {"unit that comes free while somebody is at the gate", one_is_at_the_gate, victim_sits,
       mint_fails, nothing, always},
      {"resize up", one_bystander, victim_sits, grow, nothing, always},
      {"resize down", one_bystander, victim_sits, shrink, nothing, always},
      {"pause", two_waiters_of_one, [](World&, Worker& v) { seat_victim(v, 1); }, pause, nothing,
       [](World& world) {
         open(world, first(world));
         return true;
       }},
      {"open a paused pool", two_waiters_of_one, [](World&, Worker& v) { seat_victim(v, 1); }, open,
       paused_and_both_wait, served_once_it_is_open},
      {"mint ahead of need", one_bystander, victim_sits, mint_ahead, nothing, always},
      {"mint that is refused", one_bystander, victim_sits, refuse_mint, nothing, always},
      {"wait where nobody may", one_holder, [](World&, Worker& v) { seat_victim(v, 1); }, enqueue,
       nobody_may_wait, always},
      {"check of an idle slot", two_waiters_of_one, victim_has_an_idle_one, check_idle_one,
       both_wait, first_in_line_is_served},
      {"idle slot that is no good", two_waiters_of_one, victim_has_an_idle_one, reject_idle_one,
       both_wait, first_in_line_is_served},
      {"idle timeout above minIdle", one_idle_elsewhere, victim_has_an_idle_one_of_two,
       close_flagged, overdue_but_for_one, always},
      {"remove a name", nothing, victim_sits, remove_name, nothing, name_can_be_had},
      {"remove a name and leave", nothing, victim_sits, remove_name_and_leave, nothing,
       name_can_be_had},
      {"drop an unused pool", nothing, victim_sits, drop_unused, nothing, name_can_be_had},
      {"note a place", one_bystander, victim_sits, note_place, nothing, always},
      {"repair", two_waiters_of_one, victim_holds_the_one, repair, both_wait,
       first_in_line_is_served},
      {"burial", one_dead_holder, nothing_more, bury, both_wait, first_in_line_is_served},
      {"burial by a waiter", one_dead_holder, nothing_more, bury_at_pool, both_wait,
       first_in_line_is_served},
  };
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all = kPools;
    for (const Operation& operation : mutex_operations()) all.push_back(operation);
    return all;
  }();
  return kAll;
}

}  // namespace oxpool::crash
