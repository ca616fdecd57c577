#include "daemon/ctl/doctor.h"

#include <gtest/gtest.h>

#include <functional>

namespace oxpool::ctl {
namespace {

// A daemon with one pool, to which nothing is wrong.
Evidence healthy() {
  Evidence evidence;
  for (Look* look : {&evidence.first, &evidence.second}) {
    look->info.set_ready(true);
    look->info.set_runtime_dir("/run/oxpool");
    look->info.set_directory_bytes(1 << 30);
    look->info.set_directory_free_bytes(1 << 29);
    look->info.set_new_segment_bytes(11 << 20);
    look->info.set_loop_late_us(200);
    v1::Namespace* one = look->info.add_namespaces();
    one->set_name("uid-33");
    for (v1::TableUse* use : {one->mutable_processes(), one->mutable_lanes(), one->mutable_pools(),
                              one->mutable_seats(), one->mutable_chunks()}) {
      use->set_used(10);
      use->set_room(100);
    }
    v1::Pool pool;
    pool.set_id(7);
    pool.set_name("db");
    pool.set_gate(v1::GATE_OPEN);
    pool.set_in_use(8);
    pool.set_max_size(8);
    pool.set_requested_max_size(8);
    look->pools.push_back(pool);
  }
  return evidence;
}

v1::Pool& pool(Evidence* evidence) { return evidence->second.pools[0]; }

void in_both(Evidence* evidence, const std::function<void(Look&)>& change) {
  change(evidence->first);
  change(evidence->second);
}

v1::Holding* add_holding(Look& look, v1::SlotState state, uint64_t since_ms) {
  v1::Holding* holding = look.holders[7].add_holdings();
  holding->set_slot(static_cast<uint32_t>(look.holders[7].holdings_size() - 1));
  holding->set_state(state);
  holding->set_since_ms(since_ms);
  holding->mutable_worker()->set_pid(123);
  holding->mutable_worker()->set_lane(4);
  holding->mutable_worker()->set_program("php-fpm");
  holding->set_place("/app/x.php:12");
  return holding;
}

// The sentence of the only finding, which has that code.
std::string only(const Evidence& evidence, const std::string& code) {
  const std::vector<Finding> found = findings(evidence);
  std::string codes;
  for (const Finding& finding : found) codes += finding.code + " ";
  EXPECT_EQ(codes, code + " ");
  return found.empty() ? "" : found[0].sentence;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Doctor, FullPoolsThatNobodyWaitsForAreHealthy) { EXPECT_TRUE(findings(healthy()).empty()); }

TEST(Doctor, NotReady) {
  Evidence evidence = healthy();
  evidence.second.info.set_ready(false);
  evidence.second.info.add_troubles("the segment of namespace \"x\" can not be used: cut short");
  EXPECT_TRUE(has(only(evidence, "not_ready"), "cut short"));
}

TEST(Doctor, BrokenNamespace) {
  Evidence evidence = healthy();
  evidence.second.info.mutable_namespaces(0)->set_broken(true);
  EXPECT_TRUE(has(only(evidence, "namespace_broken"), "uid-33"));
}

TEST(Doctor, TableNearlyFull) {
  Evidence evidence = healthy();
  evidence.second.info.mutable_namespaces(0)->mutable_chunks()->set_used(89);
  EXPECT_TRUE(findings(evidence).empty());
  evidence.second.info.mutable_namespaces(0)->mutable_chunks()->set_used(90);
  EXPECT_TRUE(has(only(evidence, "table_full"), "limits.chunks"));
}

TEST(Doctor, FrozenInsideALock) {
  Evidence evidence = healthy();
  v1::FrozenLock* lock = evidence.second.info.add_frozen_locks();
  lock->set_pool_id(7);
  lock->set_pool_name("db");
  lock->set_held_ms(65'000);
  lock->mutable_worker()->set_pid(123);
  lock->mutable_worker()->set_lane(4);
  const std::string sentence = only(evidence, "frozen_in_lock");
  EXPECT_TRUE(has(sentence, "123/4") && has(sentence, "\"db\"") && has(sentence, "1m05s"));
}

TEST(Doctor, FrozenInsideTheLockOfValues) {
  Evidence evidence = healthy();
  v1::FrozenLock* lock = evidence.second.info.add_frozen_locks();
  lock->set_namespace_("uid-33");
  EXPECT_TRUE(has(only(evidence, "frozen_in_lock"), "the tables of namespace \"uid-33\""));
  lock->set_of_values(true);
  EXPECT_TRUE(has(only(evidence, "frozen_in_lock"), "values of mutexes of namespace \"uid-33\""));
}

TEST(Doctor, CorruptedMutex) {
  Evidence evidence = healthy();
  v1::Mutex mutex;
  mutex.set_id(9);
  mutex.set_name("counter");
  evidence.second.mutexes.push_back(mutex);
  EXPECT_TRUE(findings(evidence).empty());
  evidence.second.mutexes[0].set_corrupted(true);
  const std::string sentence = only(evidence, "mutex_corrupted");
  EXPECT_TRUE(has(sentence, "\"counter\" (id 9)") && has(sentence, "mutex reset 9 ")) << sentence;
  EXPECT_EQ(9u, findings(evidence)[0].mutex_id);
  EXPECT_EQ(0u, findings(evidence)[0].pool_id);
}

TEST(Doctor, NoRoomForValues) {
  Evidence evidence = healthy();
  v1::TableUse* units = evidence.second.info.mutable_namespaces(0)->mutable_value_units();
  units->set_room(4096);
  units->set_used(3000);
  EXPECT_TRUE(findings(evidence).empty());
  units->set_used(4000);
  const std::string sentence = only(evidence, "table_full");
  EXPECT_TRUE(has(sentence, "limits.value_bytes") && has(sentence, "1.0 MiB")) << sentence;
}

TEST(Doctor, LateLoop) {
  Evidence evidence = healthy();
  evidence.second.info.set_loop_late_max_us(900'000);
  EXPECT_TRUE(has(only(evidence, "loop_late"), "900ms"));
}

TEST(Doctor, ThrottledByItsQuota) {
  Evidence evidence = healthy();
  in_both(&evidence, [](Look& look) {
    look.info.mutable_cpu_quota()->set_periods(1000);
    look.info.mutable_cpu_quota()->set_throttled(10);
  });
  EXPECT_TRUE(findings(evidence).empty()) << "now and then, and not now";
  evidence.second.info.mutable_cpu_quota()->set_throttled(11);
  EXPECT_TRUE(has(only(evidence, "cpu_throttled"), "11 of 1,000"));
  in_both(&evidence, [](Look& look) { look.info.mutable_cpu_quota()->set_throttled(60); });
  EXPECT_TRUE(has(only(evidence, "cpu_throttled"), "60 of 1,000")) << "often";
}

TEST(Doctor, TmpfsTooSmall) {
  Evidence evidence = healthy();
  evidence.second.info.set_directory_free_bytes(1 << 20);
  const std::string sentence = only(evidence, "tmpfs_small");
  EXPECT_TRUE(has(sentence, "1.0 MiB") && has(sentence, "11.0 MiB"));
  evidence.second.info.set_directory_bytes(0);
  EXPECT_TRUE(findings(evidence).empty()) << "a tmpfs without a limit";
}

TEST(Doctor, FullAndWaitedFor) {
  Evidence evidence = healthy();
  pool(&evidence).set_waiting(3);
  EXPECT_TRUE(findings(evidence).empty()) << "nobody waited at the look before";
  evidence.first.pools[0].set_waiting(2);
  pool(&evidence).set_oldest_wait_ms(8000);
  add_holding(evidence.second, v1::SLOT_STATE_IN_USE, 500);
  add_holding(evidence.second, v1::SLOT_STATE_IN_USE, 90'000)->set_place("/app/slow.php:7");
  const std::string sentence = only(evidence, "pool_full");
  EXPECT_TRUE(has(sentence, "3 wait") && has(sentence, "8.0s") && has(sentence, "8 of 8 in use"));
  EXPECT_TRUE(has(sentence, "since 1m30s") && has(sentence, "/app/slow.php:7")) << sentence;
}

TEST(Doctor, WaitedForWhileSlotsIdleElsewhere) {
  Evidence evidence = healthy();
  in_both(&evidence, [](Look& look) {
    look.pools[0].set_waiting(2);
    look.pools[0].set_in_use(5);
    look.pools[0].set_idle(3);
  });
  EXPECT_TRUE(has(only(evidence, "idle_elsewhere"), "3 slots"));
  in_both(&evidence, [](Look& look) { look.pools[0].mutable_settings()->set_strict(true); });
  EXPECT_TRUE(has(only(evidence, "idle_elsewhere"), "strict"));
}

TEST(Doctor, TimeoutsBetweenTheLooks) {
  Evidence evidence = healthy();
  in_both(&evidence, [](Look& look) { look.pools[0].mutable_counters()->set_acquire_timeout(5); });
  EXPECT_TRUE(findings(evidence).empty()) << "long ago";
  pool(&evidence).mutable_counters()->set_acquire_timeout(9);
  EXPECT_TRUE(has(only(evidence, "timeouts"), "4 acquires"));
}

TEST(Doctor, SlowFactory) {
  Evidence evidence = healthy();
  pool(&evidence).set_factory_mean_us(2'300'000);
  EXPECT_TRUE(has(only(evidence, "slow_factory"), "2.3s"));
}

TEST(Doctor, FailingFactory) {
  Evidence evidence = healthy();
  pool(&evidence).mutable_counters()->set_failed_factory(1);
  EXPECT_TRUE(has(only(evidence, "failing_factory"), "1 time "));
}

TEST(Doctor, Leak) {
  Evidence evidence = healthy();
  pool(&evidence).mutable_settings()->set_leak_after_ms(1000);
  add_holding(evidence.second, v1::SLOT_STATE_IN_USE, 1000);
  add_holding(evidence.second, v1::SLOT_STATE_IDLE, 5000);
  EXPECT_TRUE(findings(evidence).empty());
  add_holding(evidence.second, v1::SLOT_STATE_IN_USE, 3000);
  const std::string sentence = only(evidence, "leak");
  EXPECT_TRUE(has(sentence, "1 slot ") && has(sentence, "/app/x.php:12") && has(sentence, "123/4"));
}

TEST(Doctor, OwnerThatIgnoresAFlag) {
  Evidence evidence = healthy();
  add_holding(evidence.second, v1::SLOT_STATE_IDLE, 5000)->set_reason("evict");
  EXPECT_TRUE(findings(evidence).empty()) << "flagged just now";
  add_holding(evidence.first, v1::SLOT_STATE_IDLE, 4000)->set_reason("evict");
  const std::string sentence = only(evidence, "ignores_flag");
  EXPECT_TRUE(has(sentence, "123/4 (php-fpm)") && has(sentence, "1 idle slot"));
  evidence.between_ms = 100;
  EXPECT_TRUE(findings(evidence).empty()) << "it had no time";
}

TEST(Doctor, DisagreementOnTheCap) {
  Evidence evidence = healthy();
  pool(&evidence).set_disagreed(true);
  EXPECT_TRUE(has(only(evidence, "disagreement"), "maxSize"));
}

TEST(Doctor, AboveALoweredCap) {
  Evidence evidence = healthy();
  pool(&evidence).set_max_size(5);
  EXPECT_TRUE(has(only(evidence, "above_cap"), "8 slots"));
}

TEST(Doctor, PausedAndDrainedPoolsAreNamedAndNotCalledFull) {
  Evidence evidence = healthy();
  in_both(&evidence, [](Look& look) {
    look.pools[0].set_waiting(2);
    look.pools[0].set_gate(v1::GATE_WAIT);
  });
  EXPECT_TRUE(has(only(evidence, "paused"), "resume"));
  in_both(&evidence, [](Look& look) { look.pools[0].set_gate(v1::GATE_DRAINED); });
  only(evidence, "drained");
}

TEST(Doctor, APoolThatCameOrWentBetweenTheLooksIsNoTrouble) {
  Evidence evidence = healthy();
  evidence.first.pools.clear();
  pool(&evidence).set_waiting(3);
  pool(&evidence).mutable_counters()->set_acquire_timeout(5);
  EXPECT_TRUE(findings(evidence).empty()) << "seen once, nothing is known to last";
  evidence = healthy();
  evidence.second.pools.clear();
  EXPECT_TRUE(findings(evidence).empty());
}

TEST(Doctor, AsksForHoldersWhereTheyExplainSomething) {
  v1::Pool pool;
  pool.set_in_use(1);
  EXPECT_FALSE(wants_holders(pool));
  pool.set_waiting(1);
  EXPECT_TRUE(wants_holders(pool));
  pool.set_waiting(0);
  pool.set_flagged(1);
  EXPECT_TRUE(wants_holders(pool));
  pool.set_flagged(0);
  pool.mutable_settings()->set_leak_after_ms(1);
  EXPECT_TRUE(wants_holders(pool));
}

}  // namespace
}  // namespace oxpool::ctl
