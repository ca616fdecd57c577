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

}  // namespace
}  // namespace oxpool::ctl
