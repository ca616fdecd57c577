#include "daemon/leak_watch.h"

#include <algorithm>

#include "daemon/event.h"
#include "shm/aging.h"
#include "shm/clock.h"
#include "shm/inspection.h"
#include "shm/place.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

namespace {

// While something is out, its return is looked for at every turn.
constexpr int64_t kLookForReturnsNs = 100 * shm::kNanosPerMilli;

int64_t leak_after_ns(const shm::PoolRecord& pool) {
  return shm::age_ns(pool.settings.leak_after_ms);
}

}  // namespace

LeakWatch::LeakWatch() : agenda_(leak_after_ns) {}

size_t LeakWatch::run(const NamespaceSegment& segment, int64_t now_ns) {
  agenda_.run(segment.view(), now_ns,
              [&](shm::PoolRecord& pool) { return examine(segment, pool, now_ns); });
  return out_.size();
}

int64_t LeakWatch::examine(const NamespaceSegment& segment, shm::PoolRecord& pool, int64_t now_ns) {
  const shm::SegmentView& view = segment.view();
  forget_returned(segment, pool, now_ns);
  const int64_t after_ns = leak_after_ns(pool);
  if (after_ns == 0) return shm::kNoDeadline;

  const uint32_t index = view.index_of(pool);
  int64_t next_ns = shm::deadline_after(now_ns, after_ns);
  bool some_out = false;
  shm::for_each_slot(view, pool, [&](uint32_t number, shm::SlotRecord& slot) {
    const shm::SlotWord word = shm::load_slot(slot);
    if (word.state() != shm::SlotState::kInUse) return;
    const int64_t since_ns = shm::unchanged_since_ns(slot, now_ns);
    const int64_t due_ns = shm::deadline_after(since_ns, after_ns);
    if (due_ns > now_ns) {
      next_ns = std::min(next_ns, due_ns);
      return;
    }
    some_out = true;
    // More than there are slots: somebody scribbles, and is not worth the memory.
    if (out_.size() >= size_t{view.count(shm::kChunkTable)} * shm::kSlotsPerChunk) out_.clear();
    const auto [entry, fresh] = out_.try_emplace(
        {index, number},
        Holding{pool.id.load(std::memory_order_relaxed), word, since_ns, false, {}});
    if (fresh) report(segment, pool, number, slot, &entry->second, now_ns);
  });
  return some_out ? std::min(next_ns, now_ns + kLookForReturnsNs) : next_ns;
}

void LeakWatch::report(const NamespaceSegment& segment, shm::PoolRecord& pool, uint32_t number,
                       const shm::SlotRecord& slot, Holding* holding, int64_t now_ns) {
  const shm::SegmentView& view = segment.view();
  pool.leaks.fetch_add(1, std::memory_order_relaxed);
  view.header().leaks.fetch_add(1, std::memory_order_relaxed);
  const uint64_t line = slot.place.load(std::memory_order_relaxed);
  const RepeatLimit::Decision decision =
      limit_.note(std::to_string(holding->pool_id) + "/" + std::to_string(line), now_ns);
  holding->logged = decision.log;
  const shm::WorkerName worker = shm::worker_name(view, holding->word.owner());
  holding->worker = worker.text();
  if (!decision.log) return;
  const std::string text = shm::place_text(view, line);
  log_event(Level::kWarning, "slot leaked",
            {{"namespace", segment.name()},
             {"pool", shm::pool_name(pool)},
             {"id", holding->pool_id},
             {"slot", number},
             {"pid", worker.pid},
             Field::word("worker", holding->worker),
             {"held_ms", (now_ns - holding->since_ns) / shm::kNanosPerMilli},
             {"acquired_at", text.empty() ? "unknown" : text},
             {"held_back", decision.held_back}});
}

// A holding is over when the slot's word is another one, or was handed out anew.
void LeakWatch::forget_returned(const NamespaceSegment& segment, const shm::PoolRecord& pool,
                                int64_t now_ns) {
  const shm::SegmentView& view = segment.view();
  const uint32_t index = view.index_of(pool);
  const uint64_t id = pool.id.load(std::memory_order_relaxed);
  const auto first = out_.lower_bound({index, 0});
  const auto last = out_.upper_bound({index, UINT32_MAX});
  for (auto entry = first; entry != last;) {
    const Holding& holding = entry->second;
    const shm::SlotRecord* slot = view.slot(pool, entry->first.second);
    const bool known = slot != nullptr && holding.pool_id == id;
    if (known && shm::load_slot(*slot) == holding.word &&
        shm::unchanged_since_ns(*slot, now_ns) == holding.since_ns) {
      ++entry;
      continue;
    }
    if (known && holding.logged) {
      // Exact while the slot is idle; up to one turn late when it has been handed out since.
      const bool idle = shm::load_slot(*slot).state() == shm::SlotState::kIdle;
      const int64_t back_ns = idle ? shm::unchanged_since_ns(*slot, now_ns) : now_ns;
      const int64_t held_ns = std::max<int64_t>(back_ns - holding.since_ns, 0);
      log_event(Level::kWarning, "slot returned",
                {{"namespace", segment.name()},
                 {"pool", shm::pool_name(pool)},
                 {"id", id},
                 {"slot", entry->first.second},
                 Field::word("worker", holding.worker),
                 {"held_ms", held_ns / shm::kNanosPerMilli}});
    }
    entry = out_.erase(entry);
  }
}

}  // namespace oxpool::daemon
