#include "daemon/ctl/top_screen.h"

#include <gtest/gtest.h>

#include <vector>

#include "daemon/ctl/display_width.h"

namespace oxpool::ctl {
namespace {

v1::Pool* add(v1::PoolsSnapshot* snapshot, uint64_t id, const std::string& name, uint32_t in_use,
              uint32_t max, uint32_t waiting, uint64_t served) {
  v1::Pool* pool = snapshot->add_pools();
  pool->set_id(id);
  pool->set_name(name);
  pool->set_in_use(in_use);
  pool->set_max_size(max);
  pool->set_waiting(waiting);
  pool->set_gate(v1::GATE_OPEN);
  pool->mutable_counters()->set_acquire_ok(served);
  return pool;
}

TopState state_of() {
  TopState state;
  state.before.set_taken_us(1'000'000);
  state.now.set_taken_us(3'000'000);
  add(&state.before, 1, "quiet", 1, 10, 0, 100);
  add(&state.before, 2, "crowded", 4, 4, 7, 1000);
  add(&state.now, 1, "quiet", 1, 10, 0, 140);
  add(&state.now, 2, "crowded", 4, 4, 7, 1006);
  add(&state.now, 3, "busy", 9, 10, 0, 5);
  return state;
}

std::vector<std::string> lines_of(const std::string& screen) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < screen.size(); ++i) {
    if (screen.compare(i, 2, "\r\n") == 0) {
      lines.emplace_back();
      ++i;
    } else if (screen.compare(i, 3, "\x1b[K") == 0 || screen.compare(i, 3, "\x1b[H") == 0 ||
               screen.compare(i, 3, "\x1b[J") == 0) {
      i += 2;
    } else {
      lines.back() += screen[i];
    }
  }
  return lines;
}

std::string order(const TopState& state) {
  std::string text;
  const auto lines = lines_of(top_screen(state, 200, 50, Style(false)));
  for (size_t i = 3; i < lines.size(); ++i) text += lines[i].substr(lines[i].rfind(' ') + 1) + " ";
  return text;
}

TEST(TopScreen, WhoWaitsComesFirst) { EXPECT_EQ(order(state_of()), "crowded busy quiet "); }

TEST(TopScreen, OtherOrders) {
  TopState state = state_of();
  state.sort = "rate";
  EXPECT_EQ(order(state).substr(0, 5), "quiet");
  state.sort = "name";
  EXPECT_EQ(order(state), "busy crowded quiet ");
  state.sort = "id";
  EXPECT_EQ(order(state), "quiet crowded busy ");
  state.sort = "use";
  EXPECT_EQ(order(state), "crowded busy quiet ");
  std::string sort = "waiting";
  for (int i = 0; i < 5; ++i) sort = next_sort(sort);
  EXPECT_EQ(sort, "waiting") << "round and round";
}

TEST(TopScreen, RatesAreOverTheTimeBetweenSnapshots) {
  const std::string screen = top_screen(state_of(), 200, 50, Style(false));
  EXPECT_NE(screen.find(" 20 "), std::string::npos) << "40 in 2 s\n" << screen;
  EXPECT_NE(screen.find(" 3.0 "), std::string::npos) << "6 in 2 s\n" << screen;
  EXPECT_NE(screen.find("23 acquires/s"), std::string::npos) << screen;
}

TEST(TopScreen, FitsAnyTerminal) {
  for (const size_t columns : {1, 20, 80, 132}) {
    for (const size_t lines : {1, 2, 3, 4, 24}) {
      const auto shown = lines_of(top_screen(state_of(), columns, lines, Style(true)));
      EXPECT_LE(shown.size(), lines);
      for (const std::string& line : shown) EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST(TopScreen, ANoticeIsShownInsteadOfTheHelp) {
  TopState state = state_of();
  state.notice = "oxpoold is not running";
  const auto lines = lines_of(top_screen(state, 80, 24, Style(false)));
  EXPECT_EQ(lines[1], "oxpoold is not running");
}

TEST(TopScreen, NamesCanNotSteerTheTerminal) {
  TopState state;
  add(&state.now, 1, "evil\x1b[2J\r\n", 0, 1, 0, 0);
  const std::string screen = top_screen(state, 200, 24, Style(false));
  EXPECT_NE(screen.find("evil\\x1b[2J\\x0d\\x0a"), std::string::npos);
  EXPECT_EQ(screen.find("\x1b[2J"), std::string::npos);
}

}  // namespace
}  // namespace oxpool::ctl
