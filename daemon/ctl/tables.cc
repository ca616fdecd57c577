#include "daemon/ctl/tables.h"

#include <set>

#include "daemon/ctl/table.h"
#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

using Pools = google::protobuf::RepeatedPtrField<v1::Pool>;

constexpr size_t kPlaceColumns = 100;

std::string or_dash(uint64_t number) { return number == 0 ? "-" : std::to_string(number); }
std::string age_or_dash(uint64_t ms) { return ms == 0 ? "-" : duration_text(ms); }

// Namespaces are shown only when there are several.
bool several_namespaces(const Pools& pools) {
  std::set<std::string> names;
  for (const v1::Pool& pool : pools) names.insert(pool.namespace_());
  return names.size() > 1;
}

std::string cap_text(const v1::Pool& pool) {
  return std::to_string(pool.max_size()) + (pool.operator_max_size() != 0 ? "*" : "");
}

std::string slot_state_text(v1::SlotState state) {
  switch (state) {
    case v1::SLOT_STATE_MINTING:
      return "minting";
    case v1::SLOT_STATE_IN_USE:
      return "in use";
    case v1::SLOT_STATE_IDLE:
      return "idle";
    case v1::SLOT_STATE_CLOSING:
      return "closing";
    default:
      return "-";
  }
}

std::string reason_text(const v1::Holding& holding) {
  if (holding.reason().empty()) return "";
  return (holding.state() == v1::SLOT_STATE_IDLE ? "asked to close: " : "") + holding.reason();
}

}  // namespace

double utilization(const v1::Pool& pool) {
  return pool.max_size() == 0 ? 0.0 : static_cast<double>(pool.in_use()) / pool.max_size();
}

std::string pool_text(const v1::Pool& pool) {
  return quoted(pool.name()) + " (id " + std::to_string(pool.id()) + ")";
}

std::string worker_text(const v1::Worker& worker) {
  if (worker.pid() == 0 && worker.lane() == 0) return "-";
  return std::to_string(worker.pid()) + "/" + std::to_string(worker.lane());
}

std::string state_text(const v1::Pool& pool) {
  const std::string left =
      pool.gate_left_ms() == 0 ? "" : ", opens in " + duration_text(pool.gate_left_ms());
  switch (pool.gate()) {
    case v1::GATE_WAIT:
      return "paused" + left;
    case v1::GATE_FAIL:
      return "paused, fails" + left;
    case v1::GATE_DRAINED:
      return "drained" + left;
    default:
      break;
  }
  const uint32_t live = pool.in_use() + pool.idle() + pool.minting() + pool.closing();
  if (live > pool.max_size()) return "above its cap";
  if (pool.in_use() + pool.minting() >= pool.max_size()) return "full";
  return "open";
}

Tone state_tone(const v1::Pool& pool) {
  if (pool.gate() != v1::GATE_OPEN) return Tone::kWarning;
  if (pool.waiting() != 0) return Tone::kBad;
  return state_text(pool) == "open" ? Tone::kPlain : Tone::kWarning;
}

Lines pools_table(const Pools& pools, const Style& style) {
  const bool namespaces = several_namespaces(pools);
  std::vector<Column> columns = {{"ID", Side::kRight}};
  if (namespaces) columns.push_back({"NAMESPACE"});
  for (const char* title : {"MAX", "IN USE", "IDLE", "MINTING", "CLOSING", "WAITING"}) {
    columns.push_back({title, Side::kRight});
  }
  columns.push_back({"USE", Side::kRight});
  columns.push_back({"OLDEST", Side::kRight});
  columns.push_back({"STATE"});
  columns.push_back({"NAME", Side::kLeft, kPlaceColumns});
  Table table(columns);
  for (const v1::Pool& pool : pools) {
    const Tone tone = state_tone(pool);
    std::vector<Cell> row = {std::to_string(pool.id())};
    if (namespaces) row.push_back(printable(pool.namespace_()));
    row.push_back(cap_text(pool));
    row.push_back(std::to_string(pool.in_use()));
    row.push_back(std::to_string(pool.idle()));
    row.push_back(std::to_string(pool.minting()));
    row.push_back(std::to_string(pool.closing()));
    row.push_back(
        {std::to_string(pool.waiting()), pool.waiting() != 0 ? Tone::kBad : Tone::kPlain});
    row.push_back(percent_text(utilization(pool)));
    row.push_back(age_or_dash(pool.oldest_wait_ms()));
    row.push_back({state_text(pool), tone});
    row.push_back(printable(pool.name()));
    table.add(std::move(row));
  }
  return table.lines(style);
}

Lines counters_table(const Pools& pools, const Style& style) {
  std::vector<Column> columns;
  for (const char* title : {"ID", "SERVED", "WAITED", "TIMEOUT", "CLOSED", "SATURATED", "FAILED",
                            "MINTS", "HAND-OVERS", "LEAKS"}) {
    columns.push_back({title, Side::kRight});
  }
  columns.push_back({"FACTORY", Side::kRight});
  columns.push_back({"NAME", Side::kLeft, kPlaceColumns});
  Table table(columns);
  for (const v1::Pool& pool : pools) {
    const v1::Counters& counters = pool.counters();
    const uint64_t failed = counters.failed_factory() + counters.failed_max_waiting() +
                            counters.failed_deadlock() + counters.failed_interrupted() +
                            counters.failed_capacity();
    const auto bad_if = [](uint64_t number) {
      return Cell(std::to_string(number), number != 0 ? Tone::kBad : Tone::kPlain);
    };
    table.add({std::to_string(pool.id()), std::to_string(counters.acquire_ok()),
               std::to_string(counters.acquire_ok_waited()), bad_if(counters.acquire_timeout()),
               std::to_string(counters.acquire_closed()),
               std::to_string(counters.acquire_saturated()), bad_if(failed),
               std::to_string(counters.mints()), std::to_string(counters.hand_overs()),
               bad_if(pool.leaks()),
               pool.factory_mean_us() == 0 ? "-" : duration_us_text(pool.factory_mean_us()),
               printable(pool.name())});
  }
  return table.lines(style);
}

Lines holders_table(const v1::ListHoldersResponse& holders, const Style& style) {
  Table table({{"SLOT", Side::kRight},
               {"STATE"},
               {"SINCE", Side::kRight},
               {"WORKER"},
               {"PROGRAM"},
               {"RESOURCE", Side::kRight},
               {"AT", Side::kLeft, kPlaceColumns},
               {"WHY"}});
  for (const v1::Holding& holding : holders.holdings()) {
    table.add({std::to_string(holding.slot()), slot_state_text(holding.state()),
               duration_text(holding.since_ms()), worker_text(holding.worker()),
               printable(holding.worker().program()), age_or_dash(holding.resource_age_ms()),
               printable(holding.place()), Cell(reason_text(holding), Tone::kWarning)});
  }
  return table.lines(style);
}

Lines waiters_table(const v1::ListWaitersResponse& waiters, const Style& style) {
  Table table({{"TURN", Side::kRight},
               {"WAITED", Side::kRight},
               {"LEFT", Side::kRight},
               {"WORKER"},
               {"PROGRAM"},
               {"AT", Side::kLeft, kPlaceColumns}});
  uint64_t turn = 0;
  for (const v1::Waiting& waiting : waiters.waiting()) {
    table.add({std::to_string(++turn), duration_text(waiting.waited_ms()),
               waiting.has_left_ms() ? duration_text(static_cast<uint64_t>(waiting.left_ms()))
                                     : "no limit",
               worker_text(waiting.worker()), printable(waiting.worker().program()),
               printable(waiting.place())});
  }
  return table.lines(style);
}

Lines processes_table(const v1::ListProcessesResponse& processes, const Style& style) {
  Table table({{"NAMESPACE"},
               {"PID", Side::kRight},
               {"UID", Side::kRight},
               {"PROGRAM"},
               {"ATTACHED", Side::kRight},
               {"LANES", Side::kRight},
               {"POOLS", Side::kRight},
               {"IN USE", Side::kRight},
               {"IDLE", Side::kRight},
               {"WAITING", Side::kRight}});
  for (const v1::Process& process : processes.processes()) {
    table.add({printable(process.namespace_()), or_dash(process.pid()),
               std::to_string(process.uid()), printable(process.program()),
               duration_text(process.attached_ms()), std::to_string(process.lanes()),
               std::to_string(process.pools()), std::to_string(process.in_use()),
               std::to_string(process.idle()),
               Cell(std::to_string(process.waiting()),
                    process.waiting() != 0 ? Tone::kBad : Tone::kPlain)});
  }
  return table.lines(style);
}

Lines mutexes_table(const v1::ListMutexesResponse& mutexes, const Style& style) {
  Table table({{"ID", Side::kRight},
               {"NAMESPACE"},
               {"STATE"},
               {"WAITING", Side::kRight},
               {"HELD BY"},
               {"LAST LOCK", Side::kRight},
               {"LOCKS", Side::kRight},
               {"CONTENDED", Side::kRight},
               {"VALUE", Side::kRight},
               {"NAME"}});
  for (const v1::Mutex& mutex : mutexes.mutexes()) {
    table.add({std::to_string(mutex.id()), printable(mutex.namespace_()),
               Cell(mutex.corrupted() ? "corrupted"
                    : mutex.removed() ? "removed"
                                      : "sound",
                    mutex.corrupted() ? Tone::kBad : Tone::kPlain),
               std::to_string(mutex.waiting()),
               mutex.has_holder() ? worker_text(mutex.holder()) : "-",
               mutex.has_last_acquire_ms() ? duration_text(mutex.last_acquire_ms()) : "-",
               number_text(mutex.acquires()), number_text(mutex.contended()),
               bytes_text(mutex.value_bytes()), printable(mutex.name())});
  }
  return table.lines(style);
}

Lines unfinished_table(const google::protobuf::RepeatedPtrField<v1::Unfinished>& unfinished,
                       const Style& style) {
  Table table({{"POOL", Side::kRight},
               {"WORKER"},
               {"PROGRAM"},
               {"IN USE", Side::kRight},
               {"IDLE", Side::kRight},
               {"CLOSING", Side::kRight},
               {"NAME", Side::kLeft, kPlaceColumns}});
  for (const v1::Unfinished& one : unfinished) {
    table.add({std::to_string(one.pool_id()), worker_text(one.worker()),
               printable(one.worker().program()), std::to_string(one.in_use()),
               std::to_string(one.idle()), std::to_string(one.closing()),
               printable(one.pool_name())});
  }
  return table.lines(style);
}

}  // namespace oxpool::ctl
