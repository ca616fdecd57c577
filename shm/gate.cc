#include "shm/gate.h"

#include "shm/clock.h"
#include "shm/futex.h"
#include "shm/queue.h"

namespace oxpool::shm {

namespace {

// Who is woken too often looks once more; who is missed looks at the end of its slice.
void wake_waiting(const SegmentView& view, const PoolRecord& pool) {
  const uint32_t here = view.index_of(pool) + 1;
  for_each_ticket(view, [&](uint32_t, TicketRecord& ticket) {
    if (ticket.queue_pool.load(std::memory_order_relaxed) == here) futex_wake(ticket.wait_word, 1);
  });
}

// Those who come first are granted what is free; a sleeper may have an idle slot of its own to
// take.
void let_in(const SegmentView& view, PoolRecord& pool, const LockContext& context) {
  settle_pressure(view, pool, context);
  wake_waiting(view, pool);
}

}  // namespace

Gate settle_gate(const SegmentView& view, PoolRecord& pool, const LockContext& context,
                 int64_t now_ns) {
  GateWord word = load_gate(pool);
  while (word.over(now_ns / kNanosPerMilli)) {
    // Another gate than the one whose time was over stays.
    if (pool.gate.compare_exchange_strong(word.raw, GateWord{}.raw, std::memory_order_seq_cst)) {
      let_in(view, pool, context);
      return Gate::kOpen;
    }
  }
  return word.gate();
}

void set_gate(const SegmentView& view, PoolRecord& pool, const LockContext& context, Gate gate,
              int64_t until_ns) {
  const auto until_ms = static_cast<uint64_t>((until_ns + kNanosPerMilli - 1) / kNanosPerMilli);
  pool.gate.store(GateWord::make(gate, until_ms).raw, std::memory_order_seq_cst);
  if (gate == Gate::kOpen) {
    let_in(view, pool, context);
  } else if (gate != Gate::kWait) {
    wake_waiting(view, pool);
  }
}

}  // namespace oxpool::shm
