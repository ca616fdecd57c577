// A file that is no sound segment: it is refused when it is mapped, or everything that the daemon
// does with one comes to its end and stays within it.
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "shm/aging.h"
#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/mutex_inspection.h"
#include "shm/place.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/rebalance.h"
#include "shm/registry.h"
#include "shm/repair.h"
#include "shm/rest.h"
#include "shm/seat.h"
#include "shm/slot.h"
#include "shm/snapshot.h"
#include "shm/steward.h"
#include "shm/token.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace oxpool::shm;
using oxpool::fuzz::file_of;

constexpr int64_t kNowNs = 1000 * kNanosPerSecond;

// What a file's memory is to the sanitizer: bytes with a fence on both sides.
class FencedBytes {
 public:
  explicit FencedBytes(size_t count)
      : bytes_(static_cast<char*>(::operator new (count, std::align_val_t{64}))) {}
  ~FencedBytes() { ::operator delete (bytes_, std::align_val_t{64}); }
  char* get() const { return bytes_; }

 private:
  char* bytes_;
};

// The lock file, with byte 0 locked.
int lock_file() {
  static int fd = -1;
  if (fd < 0) {
    char name[] = "/dev/shm/oxpool-fuzz-XXXXXX";
    close(mkstemp(name));
    FUZZ_CHECK(!take_token(name, kDaemonProcess, &fd));
    unlink(name);
  }
  return fd;
}

void make_sound_pool(const SegmentView& view, const LockContext& context, const char* name) {
  uint32_t index = 0;
  PoolRequest request;
  request.max_size = 40;
  request.leak_after_ms = 1;
  {
    TableLock tables(view, context, 0);
    FUZZ_CHECK(find_or_make_pool(tables, name, request, 1, &index) == PoolResult::kOk);
    uint32_t seat;
    FUZZ_CHECK(take_seat(tables, index, context.me, &seat) == PoolResult::kOk);
  }
  PoolRecord& pool = *view.pool(index);
  PoolLock lock(view, pool, context, 0);
  settle_cap(lock);
  uint32_t slot;
  for (const SlotState state : {SlotState::kReserved, SlotState::kInUse, SlotState::kIdle}) {
    SlotRecord* taken =
        take_free(view, pool, SlotWord::make(SlotState::kReserved, context.me), &slot);
    taken->word = SlotWord::make(state, context.me).raw;
  }
  enqueue(lock, {claim_extra_ticket(view, context.me), context.me, 1, kNoDeadline});
}

// It has the lock, a value in units, and another ticket that waits for it.
void make_sound_mutex(const SegmentView& view, const LockContext& context, const char* name) {
  uint32_t index = 0;
  MutexRequest request;
  request.given_name = true;
  const std::string initial(300, 'v');
  request.initial = initial;
  TableLock tables(view, context, 0);
  FUZZ_CHECK(find_or_make_mutex(tables, name, request, 1, &index) == MutexResult::kOk);
  uint32_t seat;
  FUZZ_CHECK(take_mutex_seat(tables, index, context.me, &seat) == MutexResult::kOk);
  MutexRecord& mutex = *view.mutex(index);
  FUZZ_CHECK(lock_if_open(mutex, context.me));
  join_mutex(view, mutex, {claim_extra_ticket(view, context.me), context.me, 1, kNoDeadline});
}

// A small segment with two pools and a mutex of one worker that is dead by now.
const std::vector<char>& sound_segment() {
  static std::vector<char> bytes;
  if (!bytes.empty()) return bytes;
  const SegmentSizes sizes{.processes = 4,
                           .lanes = 4,
                           .extra_tickets = 4,
                           .pools = 3,
                           .seats = 4,
                           .chunks = 6,
                           .places = 2,
                           .mutexes = 3,
                           .mutex_seats = 4,
                           .value_bytes = 8 * kUnitBytes};
  MappedSegment mapped;
  FUZZ_CHECK(!MappedSegment::create_without_file("fuzz", sizes, &mapped));
  const SegmentView& view = mapped.view();
  const uint64_t incarnation = publish_process(view, 1, 0, 0, "dead", 1);
  const Liveness liveness(view, lock_file(), 1, incarnation);
  const LockContext context{open_lane(view, 1, incarnation, 1), &liveness};
  make_sound_pool(view, context, "one");
  make_sound_pool(view, context, "two");
  make_sound_mutex(view, context, "three");
  note_place(view, "/srv/app.php:1");
  const auto* base = static_cast<const char*>(mapped.base());
  bytes.assign(base, base + view.bytes());
  return bytes;
}

void look_at_slots(const SegmentView& view, PoolRecord& pool) {
  for_each_slot(view, pool, [&](uint32_t, SlotRecord& slot) {
    place_text(view, slot.place.load());
    flag_idle(view, slot, CloseReason::kEvict);
  });
}

void look_at_mutexes(const SegmentView& view) {
  std::vector<MutexSums> sums;
  sum_mutexes(view, &sums);
  count_lock_waiters(view);
  used_units(view);
  for_each_live_mutex(view, [&](MutexRecord& mutex) {
    std::string bytes;
    ValueWord word;
    copy_value(view, mutex, &bytes, &word);
    value_bytes(view, mutex);
    mutex_name(mutex);
    mutex_bytes(view, mutex, sum_mutex(view, mutex).seats);
    reset_mutex(mutex);
  });
}

// Everything that the daemon does, and what /metrics and oxpoolctl ask for.
void serve(const SegmentView& view) {
  const Steward steward(view, lock_file(), "oxpoold", kNowNs);
  const LockContext& context = steward.locks();
  std::vector<CounterSums> sums;
  sum_counters(view, &sums);
  look_at_mutexes(view);
  uint32_t flagged = 0;
  for (uint32_t i = 0; i < view.high_water(kPoolTable); ++i) {
    PoolRecord& pool = *view.pool(i);
    count_pool(view, pool);
    pool_name(pool);
    flag_overdue(view, pool, kNowNs, &flagged);
    flag_needed_last(view, pool, kNobody, CloseReason::kIdleTimeout, kNoDeadline, coarse_ns(), 3);
    look_at_slots(view, pool);
    settle_pressure(view, pool, context, 0);
    PoolLock lock(view, pool, context, 0);
    if (!lock.held()) continue;
    bury_strays_at_pool(lock);
    repair_pool(lock);
  }
  for (uint32_t i = 1; i < view.high_water(kProcessTable); ++i) {
    const uint64_t incarnation = view.process(i)->incarnation.load();
    if (incarnation != 0) bury_process(view, context, i, incarnation, kNowNs, 0);
  }
  find_damage_at_rest(view, context);
  TableLock tables(view, context, 0);
  if (!tables.held()) return;
  repair_tables(tables);
  find_pool(tables, "two");
  given_names(tables);
  count_registry(tables);
  remove_name(tables, "one");
  remove_name(tables, "three");
  count_seats(tables);
}

// Verbatim, by way of a file.
void attach_to_file(const uint8_t* data, size_t size) {
  const int fd = file_of(data, size);
  MappedSegment mapped;
  if (!MappedSegment::map(fd, "the file", &mapped)) serve(mapped.view());
  close(fd);
}

// Verbatim, with a fence around it.
void attach_to_bytes(const uint8_t* data, size_t size) {
  const FencedBytes bytes(size);
  std::memcpy(bytes.get(), data, size);
  SegmentView view;
  if (!SegmentView::open(bytes.get(), size, &view)) serve(view);
}

// A sound one with words changed: twelve bytes of input each, where and what.
void attach_to_damaged(const uint8_t* data, size_t size) {
  const std::vector<char>& sound = sound_segment();
  const FencedBytes bytes(sound.size());
  std::memcpy(bytes.get(), sound.data(), sound.size());
  for (; size >= 12; data += 12, size -= 12) {
    uint32_t offset;
    std::memcpy(&offset, data, sizeof offset);
    std::memcpy(bytes.get() + offset % (sound.size() / 8) * 8, data + 4, 8);
  }
  SegmentView view;
  if (!SegmentView::open(bytes.get(), sound.size(), &view)) serve(view);
}

}  // namespace

// The first byte says which way the rest comes in.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  switch (data[0] % 4) {
    case 0:
      attach_to_file(data + 1, size - 1);
      break;
    case 1:
      attach_to_bytes(data + 1, size - 1);
      break;
    default:
      attach_to_damaged(data + 1, size - 1);
      break;
  }
  return 0;
}
