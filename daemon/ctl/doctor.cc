#include "daemon/ctl/doctor.h"

#include <algorithm>

#include "daemon/ctl/tables.h"
#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

constexpr double kTableNearlyFull = 0.9;
constexpr uint64_t kSlowFactoryUs = 500'000;
constexpr uint64_t kLateUs = 250'000;
constexpr double kThrottledShare = 0.05;  // of the quota's periods
// A worker in the middle of something does not look at flags; one that sleeps longer is named.
constexpr uint64_t kFlagPatienceMs = 1000;
constexpr uint64_t kValueUnitBytes = 256;  // of v1::Namespace::value_units

using Findings = std::vector<Finding>;

const v1::Pool* find(const std::vector<v1::Pool>& pools, uint64_t id) {
  for (const v1::Pool& pool : pools) {
    if (pool.id() == id) return &pool;
  }
  return nullptr;
}

void add(Findings* findings, const char* code, std::string sentence, uint64_t pool_id = 0) {
  findings->push_back({code, std::move(sentence), pool_id});
}

// ---- The daemon

void look_at_readiness(const v1::GetServerInfoResponse& info, Findings* findings) {
  for (const std::string& trouble : info.troubles()) {
    add(findings, "not_ready", "oxpoold is not ready: " + printable(trouble));
  }
}

void look_at_frozen_locks(const Look& look, Findings* findings) {
  for (const v1::FrozenLock& lock : look.info.frozen_locks()) {
    const std::string what =
        lock.pool_id() != 0 ? "the lock of pool " + quoted(lock.pool_name()) + " (id " +
                                  std::to_string(lock.pool_id()) + ")"
                            : (lock.of_values() ? "the lock of the values of mutexes of namespace "
                                                : "the lock of the tables of namespace ") +
                                  quoted(lock.namespace_());
    add(findings, "frozen_in_lock",
        "worker " + worker_text(lock.worker()) + " (" + printable(lock.worker().program()) +
            ") has stood inside " + what + " for " + duration_text(lock.held_ms()) +
            ", so whoever has to wait there waits for it: let it go on (kill -CONT), or end it",
        lock.pool_id());
  }
}

void look_at_loop(const v1::GetServerInfoResponse& info, Findings* findings) {
  const uint64_t late_us = std::max(info.loop_late_us(), info.loop_late_max_us());
  if (late_us < kLateUs) return;
  add(findings, "loop_late",
      "the daemon's loop was late by " + duration_us_text(late_us) +
          " within the last minutes: it gets too little CPU, or the machine was stopped; burials "
          "and evictions are late by as much");
}

void look_at_quota(const Evidence& evidence, Findings* findings) {
  const v1::CpuQuota& quota = evidence.second.info.cpu_quota();
  const v1::CpuQuota& before = evidence.first.info.cpu_quota();
  const uint64_t now = quota.throttled() - std::min(quota.throttled(), before.throttled());
  const double share =
      quota.periods() == 0 ? 0 : static_cast<double>(quota.throttled()) / quota.periods();
  if (now == 0 && share < kThrottledShare) return;
  add(findings, "cpu_throttled",
      "the daemon's control group was stopped by its CPU quota in " +
          number_text(quota.throttled()) + " of " + number_text(quota.periods()) + " periods (" +
          duration_us_text(quota.throttled_us()) + " in all): give it a higher CPU limit, or none");
}

void look_at_directory(const v1::GetServerInfoResponse& info, Findings* findings) {
  if (info.directory_bytes() == 0 || info.directory_free_bytes() >= info.new_segment_bytes()) {
    return;
  }
  add(findings, "tmpfs_small",
      "the runtime directory " + quoted(info.runtime_dir()) + " has " +
          bytes_text(info.directory_free_bytes()) + " free of " +
          bytes_text(info.directory_bytes()) + ", and one more namespace takes " +
          bytes_text(info.new_segment_bytes()) +
          ": enlarge that tmpfs, or lower the table sizes under [limits]");
}

void look_at_table(const v1::Namespace& one, const char* table, const v1::TableUse& use,
                   Findings* findings) {
  if (use.room() == 0 || use.used() < use.room() * kTableNearlyFull) return;
  add(findings, "table_full",
      "namespace " + quoted(one.name()) + " has used " + std::to_string(use.used()) + " of its " +
          std::to_string(use.room()) + " " + table + ": raise limits." + table +
          " and start oxpoold with --reset once no worker is attached");
}

void look_at_values(const v1::Namespace& one, Findings* findings) {
  const v1::TableUse& use = one.value_units();
  if (use.room() == 0 || use.used() < use.room() * kTableNearlyFull) return;
  add(findings, "table_full",
      "namespace " + quoted(one.name()) + " has used " +
          bytes_text(uint64_t{use.used()} * kValueUnitBytes) + " of its " +
          bytes_text(uint64_t{use.room()} * kValueUnitBytes) +
          " for values of mutexes: raise limits.value_bytes and start oxpoold with --reset once no "
          "worker is attached");
}

void look_at_namespaces(const v1::GetServerInfoResponse& info, Findings* findings) {
  for (const v1::Namespace& one : info.namespaces()) {
    if (one.broken()) {
      add(findings, "namespace_broken",
          "the segment of namespace " + quoted(one.name()) +
              " is broken: end its workers, and some seconds later a new one is made");
    }
    look_at_table(one, "processes", one.processes(), findings);
    look_at_table(one, "lanes", one.lanes(), findings);
    look_at_table(one, "pools", one.pools(), findings);
    look_at_table(one, "seats", one.seats(), findings);
    look_at_table(one, "chunks", one.chunks(), findings);
    look_at_table(one, "mutexes", one.mutexes(), findings);
    look_at_table(one, "mutex_seats", one.mutex_seats(), findings);
    look_at_values(one, findings);
  }
}

// ---- One pool

uint32_t live(const v1::Pool& pool) {
  return pool.in_use() + pool.idle() + pool.minting() + pool.closing();
}

const v1::Holding* longest_in_use(const v1::ListHoldersResponse& holders) {
  const v1::Holding* longest = nullptr;
  for (const v1::Holding& holding : holders.holdings()) {
    if (holding.state() != v1::SLOT_STATE_IN_USE) continue;
    if (longest == nullptr || holding.since_ms() > longest->since_ms()) longest = &holding;
  }
  return longest;
}

std::string holding_text(const v1::Holding& holding) {
  return "worker " + worker_text(holding.worker()) + " (" + printable(holding.worker().program()) +
         ") since " + duration_text(holding.since_ms()) +
         (holding.place().empty() ? "" : ", from " + printable(holding.place()));
}

// Waiting at both looks: then it is no passing crowd.
void look_at_saturation(const Evidence& evidence, const v1::Pool& pool, const v1::Pool& before,
                        Findings* findings) {
  if (pool.waiting() == 0 || before.waiting() == 0 || pool.gate() != v1::GATE_OPEN) return;
  const std::string waits = std::to_string(pool.waiting()) + " wait for pool " + pool_text(pool) +
                            ", the first for " + duration_text(pool.oldest_wait_ms());
  if (pool.idle() != 0) {
    add(findings, "idle_elsewhere",
        waits + ", while " + counted(pool.idle(), "slot") + " of " +
            std::to_string(pool.max_size()) + " idle at other workers" +
            (pool.settings().strict()
                 ? ": it is strict, so they are not handed over; use 'handover', or evict them"
                 : ", who do not run at the moment: evict them, or let fewer workers serve"),
        pool.id());
    return;
  }
  std::string holder;
  if (const auto found = evidence.second.holders.find(pool.id());
      found != evidence.second.holders.end()) {
    const v1::Holding* longest = longest_in_use(found->second);
    if (longest != nullptr) holder = "; longest held by " + holding_text(*longest);
  }
  add(findings, "pool_full",
      waits + "; " + std::to_string(pool.in_use()) + " of " + std::to_string(pool.max_size()) +
          " in use" + holder + ": see holders, resize it, or send it less work",
      pool.id());
}

void look_at_gate(const v1::Pool& pool, Findings* findings) {
  if (pool.gate() == v1::GATE_OPEN) return;
  add(findings, pool.gate() == v1::GATE_DRAINED ? "drained" : "paused",
      "pool " + pool_text(pool) + " is " + state_text(pool) + " by an operator, and " +
          std::to_string(pool.waiting()) + " wait: resume opens it",
      pool.id());
}

void look_at_factory(const v1::Pool& pool, const v1::Pool& before, Findings* findings) {
  if (pool.factory_mean_us() >= kSlowFactoryUs) {
    add(findings, "slow_factory",
        "the factory of pool " + pool_text(pool) + " takes " +
            duration_us_text(pool.factory_mean_us()) +
            " on the mean: the server it connects to, or its name lookup, is slow",
        pool.id());
  }
  const uint64_t failed =
      pool.counters().failed_factory() -
      std::min(pool.counters().failed_factory(), before.counters().failed_factory());
  if (failed != 0) {
    add(findings, "failing_factory",
        "the factory of pool " + pool_text(pool) + " failed " + counted(failed, "time") +
            " between two looks: the server it connects to refuses",
        pool.id());
  }
}

void look_at_timeouts(const v1::Pool& pool, const v1::Pool& before, Findings* findings) {
  const uint64_t timeouts =
      pool.counters().acquire_timeout() -
      std::min(pool.counters().acquire_timeout(), before.counters().acquire_timeout());
  if (timeouts == 0) return;
  add(findings, "timeouts",
      counted(timeouts, "acquire") + " of pool " + pool_text(pool) +
          " timed out between two looks, with " + std::to_string(pool.in_use()) + " of " +
          std::to_string(pool.max_size()) +
          " in use: when that is the cap, resize it or see holders; when it is less, its factory "
          "is "
          "slow",
      pool.id());
}

void look_at_leaks(const Evidence& evidence, const v1::Pool& pool, Findings* findings) {
  const uint64_t leak_after_ms = pool.settings().leak_after_ms();
  const auto found = evidence.second.holders.find(pool.id());
  if (leak_after_ms == 0 || found == evidence.second.holders.end()) return;
  uint32_t out = 0;
  const v1::Holding* longest = longest_in_use(found->second);
  for (const v1::Holding& holding : found->second.holdings()) {
    out += holding.state() == v1::SLOT_STATE_IN_USE && holding.since_ms() > leak_after_ms;
  }
  if (out == 0) return;
  add(findings, "leak",
      counted(out, "slot") + " of pool " + pool_text(pool) + " held for longer than " +
          duration_text(leak_after_ms) + "; longest by " + holding_text(*longest) +
          ": that code does not give it back",
      pool.id());
}

void look_at_flags(const Evidence& evidence, const v1::Pool& pool, Findings* findings) {
  const auto now = evidence.second.holders.find(pool.id());
  const auto then = evidence.first.holders.find(pool.id());
  if (now == evidence.second.holders.end() || then == evidence.first.holders.end()) return;
  if (evidence.between_ms < kFlagPatienceMs) return;
  std::map<std::string, std::pair<uint32_t, std::string>> ignored;  // by worker
  for (const v1::Holding& holding : now->second.holdings()) {
    if (holding.state() != v1::SLOT_STATE_IDLE || holding.reason().empty()) continue;
    const auto& before = then->second.holdings();
    const bool was_flagged = std::any_of(before.begin(), before.end(), [&](const auto& one) {
      return one.slot() == holding.slot() && one.state() == v1::SLOT_STATE_IDLE &&
             one.reason() == holding.reason() && one.worker().lane() == holding.worker().lane();
    });
    if (!was_flagged) continue;
    auto& entry = ignored[worker_text(holding.worker())];
    ++entry.first;
    entry.second = printable(holding.worker().program());
  }
  for (const auto& [worker, entry] : ignored) {
    add(findings, "ignores_flag",
        "worker " + worker + " (" + entry.second + ") was asked to close " +
            counted(entry.first, "idle slot") + " of pool " + pool_text(pool) +
            " and has not run since: it sleeps or is busy elsewhere; tick() in its loop, or fewer "
            "workers, would help",
        pool.id());
  }
}

void look_at_settings(const v1::Pool& pool, Findings* findings) {
  if (pool.disagreed()) {
    add(findings, "disagreement",
        "workers of pool " + pool_text(pool) + " ask for different maxSize or idleTimeoutMs; " +
            std::to_string(pool.requested_max_size()) +
            " of the latest counts: the daemon's log names who asks for what",
        pool.id());
  }
  if (live(pool) > pool.max_size()) {
    add(findings, "above_cap",
        "pool " + pool_text(pool) + " has " + std::to_string(live(pool)) + " slots and a cap of " +
            std::to_string(pool.max_size()) + ": it was lowered, and they go when they come back",
        pool.id());
  }
}

// ---- Mutexes

void look_at_mutexes(const Look& look, Findings* findings) {
  for (const v1::Mutex& mutex : look.mutexes) {
    if (!mutex.corrupted()) continue;
    add(findings, "mutex_corrupted",
        "mutex " + quoted(mutex.name()) + " (id " + std::to_string(mutex.id()) +
            ") is corrupted: a worker died while it had the lock, so nobody gets it; its value is "
            "as it was last committed. mutex reset " +
            std::to_string(mutex.id()) +
            " makes it usable with that value, or the application removes the name and creates it "
            "anew");
    findings->back().mutex_id = mutex.id();
  }
}

}  // namespace

bool wants_holders(const v1::Pool& pool) {
  return pool.waiting() != 0 || pool.flagged() != 0 ||
         (pool.settings().leak_after_ms() != 0 && pool.in_use() != 0);
}

Findings findings(const Evidence& evidence) {
  Findings found;
  const v1::GetServerInfoResponse& info = evidence.second.info;
  look_at_readiness(info, &found);
  look_at_namespaces(info, &found);
  look_at_frozen_locks(evidence.second, &found);
  for (const v1::Pool& pool : evidence.second.pools) {
    const v1::Pool* before = find(evidence.first.pools, pool.id());
    v1::Pool then = before != nullptr ? *before : pool;
    if (before == nullptr) then.set_waiting(0);  // it is new: nothing has lasted
    look_at_saturation(evidence, pool, then, &found);
    look_at_timeouts(pool, then, &found);
    look_at_leaks(evidence, pool, &found);
    look_at_factory(pool, then, &found);
    look_at_flags(evidence, pool, &found);
    look_at_gate(pool, &found);
    look_at_settings(pool, &found);
  }
  look_at_mutexes(evidence.second, &found);
  look_at_quota(evidence, &found);
  look_at_loop(info, &found);
  look_at_directory(info, &found);
  return found;
}

}  // namespace oxpool::ctl
