#include "daemon/ctl/table.h"

#include <gtest/gtest.h>

#include "daemon/ctl/tables.h"

namespace oxpool::ctl {
namespace {

TEST(Table, ColumnsAreAlignedByWhatIsSeen) {
  Table table({{"ID", Side::kRight}, {"NAME"}, {"N", Side::kRight}, {"LAST"}});
  table.add({"1", "接続", "5", "x"});
  table.add({"12", "db", "1000", ""});
  const Lines expected = {"ID  NAME     N  LAST",  //
                          " 1  接続     5  x",     //
                          "12  db    1000"};
  EXPECT_EQ(table.lines(Style(false)), expected);
}

TEST(Table, LongTextsAreCut) {
  Table table({{"NAME", Side::kLeft, 5}, {"X"}});
  table.add({"abcdefgh", "y"});
  EXPECT_EQ(table.lines(Style(false))[1], "abcd…  y");
}

TEST(Table, ColoursDoNotMoveColumns) {
  Table table({{"A"}, {"B"}});
  table.add({Cell("x", Tone::kBad), "y"});
  EXPECT_EQ(table.lines(Style(true))[1], "\x1b[31mx\x1b[0m  y");
}

v1::Pool pool_of(uint32_t in_use, uint32_t idle, uint32_t max) {
  v1::Pool pool;
  pool.set_in_use(in_use);
  pool.set_idle(idle);
  pool.set_max_size(max);
  pool.set_gate(v1::GATE_OPEN);
  return pool;
}

TEST(StateText, SaysTheGraveOnesFirst) {
  EXPECT_EQ(state_text(pool_of(1, 1, 4)), "open");
  EXPECT_EQ(state_text(pool_of(4, 0, 4)), "full");
  EXPECT_EQ(state_text(pool_of(4, 1, 4)), "above its cap");
  v1::Pool paused = pool_of(4, 0, 4);
  paused.set_gate(v1::GATE_WAIT);
  EXPECT_EQ(state_text(paused), "paused");
  paused.set_gate_left_ms(12'000);
  EXPECT_EQ(state_text(paused), "paused, opens in 12.0s");
  paused.set_gate(v1::GATE_FAIL);
  EXPECT_EQ(state_text(paused), "paused, fails, opens in 12.0s");
  paused.set_gate(v1::GATE_DRAINED);
  paused.set_gate_left_ms(0);
  EXPECT_EQ(state_text(paused), "drained");
}

TEST(PoolsTable, NamespacesAreShownWhenThereAreSeveral) {
  google::protobuf::RepeatedPtrField<v1::Pool> pools;
  *pools.Add() = pool_of(1, 0, 4);
  pools[0].set_namespace_("uid-0");
  EXPECT_EQ(pools_table(pools, Style(false))[0].find("NAMESPACE"), std::string::npos);
  *pools.Add() = pool_of(1, 0, 4);
  pools[1].set_namespace_("shop");
  EXPECT_NE(pools_table(pools, Style(false))[0].find("NAMESPACE"), std::string::npos);
}

TEST(PoolsTable, ACapOfAnOperatorHasAStar) {
  google::protobuf::RepeatedPtrField<v1::Pool> pools;
  *pools.Add() = pool_of(1, 0, 4);
  EXPECT_EQ(pools_table(pools, Style(false))[1].find('*'), std::string::npos);
  pools[0].set_operator_max_size(4);
  EXPECT_NE(pools_table(pools, Style(false))[1].find("4*"), std::string::npos);
}

TEST(Tables, Mutexes) {
  v1::ListMutexesResponse answer;
  v1::Mutex* mutex = answer.add_mutexes();
  mutex->set_id(7);
  mutex->set_namespace_("shop");
  mutex->set_name("a\n");
  mutex->set_waiting(2);
  mutex->set_acquires(12345);
  mutex->set_contended(6);
  mutex->set_value_bytes(300);
  mutex->mutable_holder()->set_pid(12);
  mutex->mutable_holder()->set_lane(3);
  mutex->set_last_acquire_ms(0);
  *answer.add_mutexes() = v1::Mutex();
  answer.mutable_mutexes(1)->set_corrupted(true);
  *answer.add_mutexes() = v1::Mutex();
  answer.mutable_mutexes(2)->set_removed(true);
  const Lines lines = mutexes_table(answer, Style(false));
  ASSERT_EQ(4u, lines.size());
  for (const char* part : {"sound", " 2  12/3", "0ms", "12,345", "300 B", "a\\x0a"}) {
    EXPECT_NE(std::string::npos, lines[1].find(part)) << part << " in " << lines[1];
  }
  EXPECT_NE(std::string::npos, lines[2].find("corrupted"));
  EXPECT_NE(std::string::npos, lines[3].find("removed"));
}

}  // namespace
}  // namespace oxpool::ctl
