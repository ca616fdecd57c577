#include "daemon/ctl/top_screen.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

#include "daemon/ctl/display_width.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/tables.h"
#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

const std::vector<std::string> kSorts = {"waiting", "use", "rate", "name", "id"};

struct Row {
  const v1::Pool* pool;
  double served_per_s;
  double failed_per_s;
};

uint64_t served(const v1::Pool& pool) { return pool.counters().acquire_ok(); }
uint64_t failed(const v1::Pool& pool) {
  const v1::Counters& counters = pool.counters();
  return counters.acquire_timeout() + counters.acquire_closed() + counters.failed_factory() +
         counters.failed_max_waiting() + counters.failed_deadlock() +
         counters.failed_interrupted() + counters.failed_capacity();
}

std::vector<Row> rows_of(const TopState& state) {
  std::map<uint64_t, const v1::Pool*> before;
  for (const v1::Pool& pool : state.before.pools()) before[pool.id()] = &pool;
  const double seconds =
      state.before.taken_us() == 0
          ? 0
          : static_cast<double>(state.now.taken_us() - state.before.taken_us()) / 1e6;
  std::vector<Row> rows;
  for (const v1::Pool& pool : state.now.pools()) {
    const auto then = before.find(pool.id());
    const bool known = then != before.end() && seconds > 0;
    const auto rate = [&](uint64_t now, uint64_t was) {
      return now > was ? static_cast<double>(now - was) / seconds : 0.0;
    };
    rows.push_back({&pool, known ? rate(served(pool), served(*then->second)) : 0,
                    known ? rate(failed(pool), failed(*then->second)) : 0});
  }
  return rows;
}

void sort_rows(const std::string& sort, std::vector<Row>* rows) {
  const auto use = [](const Row& row) { return utilization(*row.pool); };
  std::stable_sort(rows->begin(), rows->end(), [&](const Row& a, const Row& b) {
    if (sort == "id") return a.pool->id() < b.pool->id();
    if (sort == "name") return a.pool->name() < b.pool->name();
    if (sort == "rate") return a.served_per_s > b.served_per_s;
    if (sort == "waiting" && a.pool->waiting() != b.pool->waiting()) {
      return a.pool->waiting() > b.pool->waiting();
    }
    return use(a) > use(b);
  });
}

std::string clock_text(uint64_t unix_ms) {
  const auto seconds = static_cast<time_t>(unix_ms / 1000);
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[16];
  strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

std::string bar(const v1::Pool& pool) {
  constexpr uint32_t kCells = 10;
  const uint32_t cap = std::max<uint32_t>(pool.max_size(), 1);
  const uint32_t used = std::min(pool.in_use() * kCells / cap, kCells);
  const uint32_t there = std::min(
      (pool.in_use() + pool.idle() + pool.minting() + pool.closing()) * kCells / cap, kCells);
  std::string text;
  for (uint32_t i = 0; i < kCells; ++i) text += i < used ? "█" : i < there ? "▒" : "·";
  return text;
}

std::string summary(const TopState& state, const std::vector<Row>& rows) {
  uint64_t in_use = 0, idle = 0, waiting = 0;
  double rate = 0;
  for (const Row& row : rows) {
    in_use += row.pool->in_use();
    idle += row.pool->idle();
    waiting += row.pool->waiting();
    rate += row.served_per_s;
  }
  return "oxpool " + clock_text(state.now.taken_unix_ms()) + "  " + counted(rows.size(), "pool") +
         ", " + number_text(in_use) + " in use, " + number_text(idle) + " idle, " +
         number_text(waiting) + " waiting, " + rate_text(rate) + " acquires/s" +
         (state.frozen ? "  [stopped: space goes on]" : "") + "  " + state.source;
}

Table table_of(const std::vector<Row>& rows) {
  Table table({{"ID", Side::kRight},
               {"USE"},
               {"IN USE", Side::kRight},
               {"IDLE", Side::kRight},
               {"MAX", Side::kRight},
               {"WAITING", Side::kRight},
               {"OLDEST", Side::kRight},
               {"ACQ/S", Side::kRight},
               {"FAIL/S", Side::kRight},
               {"STATE"},
               {"NAME", Side::kLeft, 200}});
  for (const Row& row : rows) {
    const v1::Pool& pool = *row.pool;
    table.add({std::to_string(pool.id()), Cell(bar(pool), state_tone(pool)),
               std::to_string(pool.in_use()), std::to_string(pool.idle()),
               std::to_string(pool.max_size()) + (pool.operator_max_size() != 0 ? "*" : ""),
               Cell(std::to_string(pool.waiting()), pool.waiting() ? Tone::kBad : Tone::kPlain),
               pool.oldest_wait_ms() == 0 ? "-" : duration_text(pool.oldest_wait_ms()),
               rate_text(row.served_per_s),
               Cell(rate_text(row.failed_per_s), row.failed_per_s > 0 ? Tone::kBad : Tone::kPlain),
               Cell(state_text(pool), state_tone(pool)), printable(pool.name())});
  }
  return table;
}

}  // namespace

std::string next_sort(const std::string& sort) {
  const auto found = std::find(kSorts.begin(), kSorts.end(), sort);
  if (found == kSorts.end() || found + 1 == kSorts.end()) return kSorts.front();
  return *(found + 1);
}

std::string top_screen(const TopState& state, size_t columns, size_t lines, const Style& style) {
  std::vector<Row> rows = rows_of(state);
  sort_rows(state.sort, &rows);
  std::vector<std::string> text;
  text.push_back(style.paint(Tone::kHeader, cut_to_width(summary(state, rows), columns)));
  const std::string help = "sorted by " + state.sort + "; s: other order, space: stop, q: quit";
  text.push_back(state.notice.empty()
                     ? style.paint(Tone::kFaint, cut_to_width(help, columns))
                     : style.paint(Tone::kWarning, cut_to_width(state.notice, columns)));
  constexpr size_t kLinesAbove = 3;
  if (lines > kLinesAbove && rows.size() > lines - kLinesAbove) rows.resize(lines - kLinesAbove);
  for (std::string& line : table_of(rows).lines(style)) {
    text.push_back(cut_to_width(line, columns) + (style.coloured() ? "\x1b[0m" : ""));
  }
  if (text.size() > lines) text.resize(lines);
  std::string screen = "\x1b[H";
  for (size_t i = 0; i < text.size(); ++i) {
    screen += text[i] + "\x1b[K" + (i + 1 < text.size() ? "\r\n" : "");
  }
  return screen + "\x1b[J";
}

}  // namespace oxpool::ctl
