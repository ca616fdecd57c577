// One pool in numbers.
#include <map>

#include "daemon/ctl/histogram.h"
#include "daemon/ctl/tables.h"
#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

void add_fact(Lines* lines, const std::string& name, const std::string& value) {
  constexpr size_t kColumns = 18;
  lines->push_back(name + std::string(name.size() < kColumns ? kColumns - name.size() : 1, ' ') +
                   value);
}

std::string limit_text(uint64_t ms, const char* none) { return ms == 0 ? none : duration_text(ms); }

}  // namespace

Lines pool_page(const v1::GetPoolResponse& answer, const Style& style) {
  const v1::Pool& pool = answer.pool();
  const v1::Counters& counters = pool.counters();
  const v1::Settings& settings = pool.settings();
  Lines lines;
  lines.push_back(style.paint(Tone::kHeader, pool_text(pool)));
  add_fact(&lines, "namespace", printable(pool.namespace_()));
  add_fact(&lines, "state", style.paint(state_tone(pool), state_text(pool)));
  add_fact(
      &lines, "slots",
      std::to_string(pool.in_use()) + " in use, " + std::to_string(pool.idle()) + " idle" +
          (pool.flagged() != 0 ? " (" + std::to_string(pool.flagged()) + " to be closed)" : "") +
          ", " + std::to_string(pool.minting()) + " minting, " + std::to_string(pool.closing()) +
          " closing, of " + std::to_string(pool.max_size()) + " (" +
          percent_text(utilization(pool)) + ")");
  add_fact(
      &lines, "waiting",
      std::to_string(pool.waiting()) +
          (pool.waiting() != 0 ? ", the first for " + duration_text(pool.oldest_wait_ms()) : ""));
  add_fact(&lines, "cap",
           pool.operator_max_size() != 0
               ? std::to_string(pool.operator_max_size()) +
                     " set by an operator; workers ask for " +
                     std::to_string(pool.requested_max_size())
               : std::to_string(pool.requested_max_size()) + " asked for by its workers");
  if (pool.disagreed()) {
    add_fact(&lines, "", style.paint(Tone::kWarning, "workers ask for different settings"));
  }
  add_fact(&lines, "workers", std::to_string(pool.workers()));
  add_fact(&lines, "age", duration_text(pool.age_ms()));
  add_fact(&lines, "acquires",
           number_text(counters.acquire_ok()) + " served (" +
               number_text(counters.acquire_ok_waited()) + " after a wait), " +
               number_text(counters.acquire_timeout()) + " timed out, " +
               number_text(counters.acquire_closed()) + " refused as closed, " +
               number_text(counters.acquire_saturated()) + " found it full");
  add_fact(&lines, "failed",
           number_text(counters.failed_factory()) + " by the factory, " +
               number_text(counters.failed_max_waiting()) + " too many waiting, " +
               number_text(counters.failed_deadlock()) + " deadlock, " +
               number_text(counters.failed_interrupted()) + " interrupted, " +
               number_text(counters.failed_capacity()) + " no room");
  const auto percentiles = [&](const char* name, const v1::Histogram& histogram) {
    add_fact(&lines, name,
             "p50 " + percentile_text(histogram, 0.5) + ", p90 " + percentile_text(histogram, 0.9) +
                 ", p99 " + percentile_text(histogram, 0.99) + " of " +
                 number_text(total(histogram)));
  };
  percentiles("wait", answer.wait());
  percentiles("hold", answer.hold());
  percentiles("factory", answer.factory());
  add_fact(
      &lines, "resources",
      counted(counters.mints(), "mint") + ", " + counted(counters.hand_overs(), "hand-over") +
          ", " + counted(pool.leaks(), "leak") +
          (settings.persistent() ? ", " + number_text(counters.reattached()) + " reattached, " +
                                       number_text(counters.closed_asleep()) + " closed asleep"
                                 : ""));
  add_fact(
      &lines, "reserve",
      number_text(pool.reserve()) + " kept free, " + counted(pool.starved_waits(), "starved wait"));
  std::string closed;
  for (const auto& [reason, count] :
       std::map<std::string, uint64_t>(answer.closed().begin(), answer.closed().end())) {
    if (count != 0) closed += (closed.empty() ? "" : ", ") + reason + " " + number_text(count);
  }
  add_fact(&lines, "closed", closed.empty() ? "none" : closed);
  add_fact(&lines, "settings",
           "idle timeout " + limit_text(settings.idle_timeout_ms(), "never") + ", lifetime " +
               limit_text(settings.max_lifetime_ms(), "for ever") + ", leak after " +
               limit_text(settings.leak_after_ms(), "not watched") + ", min idle " +
               std::to_string(settings.min_idle()) + ", " +
               (settings.strict() ? "strict" : "handover") +
               (settings.persistent() ? ", persistent" : "") +
               (settings.accept_gate() ? ", accept gate" : ""));
  return lines;
}

}  // namespace oxpool::ctl
