// What is done at a mutex, to be killed at every instruction.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "shm/locks.h"
#include "shm/mutex_inspection.h"
#include "shm/unit_map.h"
#include "tests/crash/operations.h"

namespace oxpool::crash {

namespace {

// Each value is of one letter, so that a torn one would show. One lies in the record, one in units,
// one needs more of them.
std::string small() { return std::string(8, 's'); }
std::string large() { return std::string(600, 'l'); }
std::string larger() { return std::string(1500, 'x'); }

void nothing(World&) {}
void nothing_more(World&, Worker&) {}
bool always(World&) { return true; }

Worker& first(World& world) { return *world.survivors()[0]; }
Worker& second(World& world) { return *world.survivors()[1]; }

shm::MutexRequest named(const std::string& initial) {
  shm::MutexRequest request;
  request.given_name = true;
  request.initial = initial;
  return request;
}
shm::MutexRequest recovering(const std::string& initial) {
  shm::MutexRequest request = named(initial);
  request.on_owner_death = shm::OnOwnerDeath::kRecover;
  return request;
}
void sit_at(Worker& worker, const std::string& initial) { worker.open_mutex(named(initial)); }
void expect(Status status) {
  if (status != Status::kOk) std::abort();
}
void commit(Worker& worker, const std::string& bytes) { expect(worker.mutex->commit(bytes)); }

void one_bystander(World& world) {
  const std::string initial = small();
  world.mutex_survivor(named(initial));
}
void one_bystander_of_a_large_one(World& world) {
  const std::string initial = large();
  world.mutex_survivor(named(initial));
}
void one_holder(World& world) {
  one_bystander(world);
  expect(first(world).mutex->lock(0));
}
// Of one that goes on when its holder dies: who is next must get it.
void two_of_one_that_recovers(World& world) {
  const std::string initial = small();
  world.mutex_survivor(recovering(initial));
  world.mutex_survivor(recovering(initial));
}
void both_in_line(World& world) {
  first(world).stand_in_line(false);
  second(world).stand_in_line(false);
}
void both_in_line_and_the_first_asks(World& world) {
  first(world).stand_in_line(true);
  second(world).stand_in_line(false);
}
bool first_in_line_has_it(World& world) {
  return first(world).has_mutex() && !second(world).has_mutex();
}

void victim_sits(World&, Worker& victim) { sit_at(victim, small()); }
void victim_holds(World&, Worker& victim) {
  sit_at(victim, small());
  expect(victim.mutex->lock(0));
}
void victim_holds_a_large_one(World& world, Worker& victim) {
  victim_holds(world, victim);
  commit(victim, large());
  commit(victim, large());  // both copies have units
}
// So many units that a short value gives them back.
void victim_holds_a_wasteful_one(World& world, Worker& victim) {
  victim_holds(world, victim);
  commit(victim, std::string(5000, 'w'));
}
void victim_holds_one_that_recovers(World&, Worker& victim) {
  const std::string initial = small();
  victim.open_mutex(recovering(initial));
  expect(victim.mutex->lock(0));
}
void victim_stands_in_line(World&, Worker& victim) {
  sit_at(victim, small());
  victim.stand_in_line(true);
}
void victim_has_an_automatic_one(World&, Worker& victim) {
  const std::string initial = large();
  shm::MutexRequest request;
  request.initial = initial;
  victim.open_mutex(request);
}

void make(World&, Worker& victim) { sit_at(victim, large()); }
void detach(World&, Worker& victim) { victim.mutex.reset(); }
void lock(World&, Worker& victim) { expect(victim.mutex->lock(0)); }
void unlock(World&, Worker& victim) { victim.mutex->unlock(); }
// Its deadline is over when it has joined.
void lock_too_late(World&, Worker& victim) {
  if (victim.mutex->lock(1) != Status::kTimeout) std::abort();
}
// The holder gives it back during the wait, without waking anybody: as one that is killed then.
bool free_it(void* context) {
  auto& mutex = *static_cast<Mutex*>(context);
  const shm::MutexWord word = shm::load_mutex(mutex.record());
  return shm::change_mutex(mutex.record(), word, word.with_owner(shm::kNobody));
}
void lock_after_a_wait(World&, Worker& victim) {
  expect(victim.mutex->lock(Mutex::kForever, free_it, victim.mutex.get()));
}
void holder_unlocks(World& world) { first(world).mutex->unlock(); }
void see_that_it_was_given(World&, Worker& victim) {
  if (!victim.has_mutex()) std::abort();
}
void commit_small(World&, Worker& victim) { commit(victim, std::string(8, 't')); }
void commit_large(World&, Worker& victim) { commit(victim, large()); }
void commit_larger(World&, Worker& victim) { commit(victim, larger()); }
void commit_small_twice(World&, Worker& victim) {
  commit(victim, small());
  commit(victim, small());
}
void reset(World&, Worker& victim) {
  if (!shm::reset_mutex(victim.mutex->record())) std::abort();
}
void it_is_corrupted(World& world) { world.mutex()->lock.fetch_or(shm::MutexWord::kCorrupted); }
void remove_name(World&, Worker& victim) {
  bool removed;
  if (victim.lane->remove_name(World::kMutex, &removed)) std::abort();
}
// Whoever holds the value lock of a dead one makes the map anew.
void rebuild(World& world, Worker& victim) {
  shm::ValueLock values(world.view(), victim.lane->lock_context(), shm::kLockPatienceNs);
  shm::rebuild_unit_map(values);
}
void one_dead_holder(World& world) {
  const pid_t pid = fork();
  if (pid == 0) {
    Worker dead(world.runtime_dir(), "", 0);
    const std::string initial = small();
    dead.open_mutex(recovering(initial));
    expect(dead.mutex->lock(0));
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  two_of_one_that_recovers(world);
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
void look_after(World& world, Worker& victim) {
  shm::look_after_mutex(world.view(), *world.view().mutex(0), victim.process->liveness());
}

std::string value(World& world) {
  std::string bytes;
  shm::ValueWord word;
  const shm::MutexRecord* mutex = world.mutex();
  return mutex != nullptr && shm::copy_value(world.view(), *mutex, &bytes, &word) ? bytes : "";
}
bool is_corrupted(World& world) { return shm::is_corrupted(*world.mutex()); }
bool is_not_corrupted(World& world) { return !is_corrupted(world); }
bool holder_corrupted_it_and_its_value_is_whole(World& world) {
  const std::string bytes = value(world);
  return is_corrupted(world) &&
         (bytes == small() || bytes == std::string(8, 't') || bytes == large() ||
          bytes == larger() || bytes == std::string(5000, 'w'));
}
bool holder_still_has_it(World& world) {
  return first(world).mutex->unlock() && is_not_corrupted(world);
}
// No name leads to a record that is neither whole nor free.
bool name_can_be_had(World& world) {
  Worker& fresh = world.mutex_survivor(named(std::string(8, 'f')));
  return fresh.mutex->lock(0) == Status::kOk && fresh.mutex->unlock();
}
bool name_can_be_had_and_waiters_know(World& world) {
  const bool removed = first(world).mutex->removed();
  // Not removed, they wait on; they are no more in line, whatever was read.
  if (removed != (world.mutex() == nullptr)) return false;
  first(world).drop_all();
  second(world).drop_all();
  return name_can_be_had(world);
}

}  // namespace

std::vector<Operation> mutex_operations() {
  return {
      {"make a mutex", nothing, nothing_more, make, nothing, name_can_be_had},
      {"make an automatic mutex", nothing, nothing_more, victim_has_an_automatic_one, nothing,
       always},
      {"take a seat at a mutex", one_bystander, nothing_more, victim_sits, nothing,
       is_not_corrupted},
      {"leave a seat at a mutex", one_bystander_of_a_large_one, victim_sits, detach, nothing,
       is_not_corrupted},
      {"leave an automatic mutex", nothing, victim_has_an_automatic_one, detach, nothing, always},
      {"lock a mutex", one_bystander, victim_sits, lock, nothing, always},
      {"lock a mutex too late", one_holder, victim_sits, lock_too_late, nothing,
       holder_still_has_it},
      {"lock a mutex after a wait", one_holder, victim_sits, lock_after_a_wait, nothing, always},
      {"see that the mutex was given", one_holder, victim_stands_in_line, see_that_it_was_given,
       holder_unlocks, always},
      {"commit", one_bystander, victim_holds, commit_small, nothing,
       holder_corrupted_it_and_its_value_is_whole},
      {"commit that needs units", one_bystander, victim_holds, commit_large, nothing,
       holder_corrupted_it_and_its_value_is_whole},
      {"commit that needs more units", one_bystander, victim_holds_a_large_one, commit_larger,
       nothing, holder_corrupted_it_and_its_value_is_whole},
      {"commit that gives units back", one_bystander, victim_holds_a_wasteful_one,
       commit_small_twice, nothing, holder_corrupted_it_and_its_value_is_whole},
      {"unlock", one_bystander, victim_holds, unlock, nothing, always},
      {"unlock that wakes", two_of_one_that_recovers, victim_holds_one_that_recovers, unlock,
       both_in_line, first_in_line_has_it},
      {"unlock that hands over", two_of_one_that_recovers, victim_holds_one_that_recovers, unlock,
       both_in_line_and_the_first_asks, first_in_line_has_it},
      {"reset a mutex", one_bystander, victim_sits, reset, it_is_corrupted, always},
      {"remove the name of a mutex", nothing, victim_sits, remove_name, nothing, name_can_be_had},
      {"remove the name of a mutex that others wait for", two_of_one_that_recovers,
       victim_holds_one_that_recovers, remove_name, both_in_line, name_can_be_had_and_waiters_know},
      {"make the map of units anew", one_bystander_of_a_large_one, victim_sits, rebuild, nothing,
       is_not_corrupted},
      {"burial of a holder", one_dead_holder, nothing_more, bury, both_in_line,
       first_in_line_has_it},
      {"burial of a holder by a waiter", one_dead_holder, nothing_more, look_after, both_in_line,
       first_in_line_has_it},
  };
}

}  // namespace oxpool::crash
