// The records of a segment, byte for byte. LAYOUT.md draws them; the assertions at the end of this
// file hold the drawing true. A change here raises kAbiMajor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shm/counters.h"
#include "shm/gate_word.h"
#include "shm/mutex_word.h"
#include "shm/owner_id.h"
#include "shm/pressure_word.h"
#include "shm/slot_word.h"
#include "shm/value_word.h"
#include "shm/wait_word.h"

namespace oxpool::shm {

inline constexpr uint64_t kMagic = 0x314c4f4f50584f00;  // "\0OXPOOL1", little-endian
inline constexpr uint32_t kAbiMajor = 5;                // both sides must agree
inline constexpr uint32_t kAbiMinor = 0;                // additions that the other may ignore

inline constexpr uint32_t kNameBytes = 255;      // a name of a pool or a mutex, any bytes
inline constexpr uint32_t kNamespaceBytes = 64;  // a namespace's name with its NUL
inline constexpr uint32_t kPlaceWords = 31;      // of a place's text, see PlaceRecord
inline constexpr uint32_t kSlotsPerChunk = 32;   // one hint word per chunk
inline constexpr uint32_t kMaxChunksPerPool = 256;
inline constexpr uint32_t kMaxSlotsPerPool = kSlotsPerChunk * kMaxChunksPerPool;  // 8,192
inline constexpr uint32_t kInlineBytes = 128;  // a value up to here lies in its mutex's record
inline constexpr uint32_t kUnitBytes = 256;    // a longer one in units of the value area
inline constexpr uint32_t kUnitsPerMap = 512;  // bits of one record of the map of units
inline constexpr uint32_t kDefaultValueLimitBytes = 1u << 20;
inline constexpr uint32_t kMaxLanes = 1u << OwnerId::kLaneBits;
inline constexpr uint32_t kNoIndex = 0xffffffffu;
inline constexpr uint32_t kDaemonProcess =
    0;  // process record, token byte and lane 0 are the daemon's
inline constexpr uint32_t kDaemonLane = 0;

// Aligned fields of their own; every one is lock-free, or processes could not share them.
using Word64 = std::atomic<uint64_t>;
using Word32 = std::atomic<uint32_t>;
using Time64 = std::atomic<int64_t>;  // nanoseconds of the daemon's CLOCK_MONOTONIC
static_assert(Word64::is_always_lock_free && Word32::is_always_lock_free);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "futexes sleep on the low half of a word");

// Where a table lies in the segment.
struct TableSpan {
  uint64_t offset_bytes;
  uint32_t count;
  uint32_t record_bytes;
};

enum TableIndex : uint32_t {
  kProcessTable = 0,
  kLaneTable,
  kTicketTable,
  kPoolTable,
  kSeatTable,
  kChunkTable,
  kPlaceTable,
  kMutexTable,
  kMutexSeatTable,
  kUnitMapTable,
  kUnitTable,
  kTableCount,
};

struct alignas(64) SegmentHeader {
  // Written once at creation. `magic` is stored last, with release order: who reads it with
  // acquire order sees the rest.
  Word64 magic;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint64_t segment_bytes;
  uint64_t identity[2];  // random; tells a reconnecting worker that this is the segment it maps
  TableSpan tables[kTableCount];
  char namespace_name[kNamespaceBytes];

  // Changed while in use.
  alignas(64) Word64 table_lock;  // RobustMutex: pools, mutexes, seats, chunks come and go
  alignas(64) Word64 value_lock;  // RobustMutex: which copy of a value has which units
  // The longest value that is taken; written by the daemon from its configuration.
  Word32 value_limit_bytes;
  alignas(64) Word64 next_incarnation;
  Word64 next_pool_id;  // of pools and mutexes
  Word64 next_seat_serial;
  Word64 pool_table_version;  // grows when a pool is made, removed or reconfigured
  // One above the highest record ever used, so that walks are short. They only grow.
  Word32 high_water[kTableCount];
  // Under table_lock: no record below this one is free. A hint that keeps the search short.
  Word32 lowest_free[kTableCount];
  // 0 = sound. Otherwise the daemon found the segment damaged beyond repair and no new worker is
  // attached to it.
  Word32 broken;

  // What happened in the segment's life.
  alignas(64) Word64 burials;  // of processes that had not detached
  Word64 repairs;              // after a death inside a lock
  Word64 leaks;                // slots that were reported as held for too long
  Word64 deadlocks;            // waits that were ended because nobody could ever end them
  Word64 pools_removed;
  Word64 operations_removed;  // acquires and releases of the removed pools
  Word64 mutexes_removed;
  Word64 mutex_operations_removed;  // locks of the removed mutexes

  // What pools that say nothing else get; written by the daemon from its configuration.
  Word32 default_rebalance;    // Rebalance
  Word32 default_patience_ms;  // kPatienceAuto = derived from the factory's time
};

enum class RecordState : uint32_t {
  kFree = 0,
  kBuilding = 1,  // being filled under table_lock; repair frees it
  kLive = 2,
  kRemoving = 3,  // being taken apart under table_lock; repair frees it
};

// One attached client process. Claimed by the daemon, which holds the process's byte of the lock
// file (the token) before it writes here; the byte's number is the record's index.
struct alignas(64) ProcessRecord {
  Word64 incarnation;  // 0 = free. Published last at attach, cleared first at detach.
  Word32 pid;          // as the daemon sees it; 0 when it can not
  Word32 uid;
  Time64 attached_ns;
  Word64 started_serial;  // order of attaching: of two that disagree on a setting the later wins
  char program[32];       // NUL-padded
};

// How a lane that does not look at its attention word can be reached: a byte on its process's
// session.
enum class LaneSleep : uint32_t {
  kAwake = 0,  // it looks by itself before long
  kSignal =
      1,  // between two requests: the byte raises a signal, whose handler closes what is flagged
  kStream = 2,  // in an event loop, which watches for the byte
};

// One OS thread of a process. Claimed by the process itself by CAS on `claim`.
struct alignas(64) LaneRecord {
  Word64 claim;        // OwnerId{process index, process incarnation}; 0 = free
  Word64 incarnation;  // 0 = not attached. Published last at attach, cleared first at detach.
  Word32 thread_id;    // as its own PID namespace numbers it
  // Set by whoever flags a slot of this lane: the lane looks at its idle slots when it next runs.
  alignas(64) Word32 attention;
  // LaneSleep: whether it runs, or is to be told by its session that attention was set.
  Word32 sleep;
  // Index + 1 of the pool at whose accept gate it waits; 0 = none. PoolRecord::gated is derived
  // from these.
  Word32 gated_at;
};

// A place in a queue. Ticket i < lane count belongs to lane i; the rest are claimed as needed.
struct alignas(64) TicketRecord {
  Word64 wait_word;    // WaitWord
  Word64 owner;        // OwnerId that waits; 0 = free
  Word32 queue_pool;   // pool index + 1 while it may be linked in that pool's queue, else 0
  Word32 next;         // ticket index or kNoIndex; under the pool's lock
  Word32 previous;     // likewise
  Word32 queue_mutex;  // mutex index + 1 while it waits for that mutex, else 0
  Word64 number;       // arrival order at its pool or mutex; repair sorts by it
  Time64 since_ns;
  Time64 deadline_ns;  // INT64_MAX = none
  Word64 place;        // hash of the source line that waits (PlaceRecord); 0 = not noted
};

// One unit of budget. Written by its owner; flagged by others through `word` only.
struct alignas(64) SlotRecord {
  Word64 word;        // SlotWord
  Time64 changed_ns;  // when it was last handed out or came back
  Time64 minted_ns;
  Word32 ticket;      // while GRANTED: the ticket it was granted to, once that is written
  Time64 expires_ns;  // its lifetime is over then; 0 = it has no end
  Word64 place;       // hash of the source line that acquired it (PlaceRecord); 0 = not noted
  Time64 gap_ns;      // its owner's mean time between release and next acquire; 0 = not known
};

// A pool's slots, 32 at a time. Bit i of free_hint set = slot i may be FREE, and clearing the bit
// is the right to try. A missing bit is found again by repair and by waiters that look twice.
struct alignas(64) ChunkRecord {
  Word64 pool_id;   // 0 = free
  Word32 pool;      // index
  Word32 position;  // this is the pool's position-th chunk
  Word32 free_hint;
  SlotRecord slots[kSlotsPerChunk];
};

// A line of source code, kept once for all slots that name it by its hash. The table is a cache:
// anybody may overwrite any record at any time, and a reader believes a text only if it has the
// hash that led there.
struct alignas(64) PlaceRecord {
  Word64 hash;
  Word64 text[kPlaceWords];  // NUL-padded
};

struct CounterBlock {
  Word64 counters[kCounterCount];
  Word64 evicted[kCloseReasonCount];  // by CloseReason
  // Waits that really waited, however they ended. A seat's acquire_ok counts only what was served
  // at once: so every sum that is made of these grows, in whatever order they are read while they
  // change.
  Word64 wait_buckets[kWaitBucketCount];
  // A seat's `releases` counts only what came back within one tick of the clock; everything else is
  // counted here, once.
  Word64 hold_buckets[kHoldBucketCount];
  Word64 factory_buckets[kFactoryBucketCount];
};

// A lane's place at a pool. Its counters have one writer, so plain stores do.
struct alignas(64) SeatRecord {
  Word32 state;  // RecordState
  Word32 pool;   // index
  Word64 owner;  // OwnerId
  Word64 pool_id;
  Word64 serial;  // never used twice; tells whether it was folded already
  alignas(64) CounterBlock counts;
};

// A lane's place at a mutex. One writer, the lane.
struct alignas(64) MutexSeatRecord {
  Word32 state;  // RecordState
  Word32 mutex;  // index
  Word64 owner;  // OwnerId
  Word64 mutex_id;
  Word64 serial;     // never used twice, by no seat at a pool either
  Word64 acquires;   // that got the lock
  Word64 contended;  // of these: it was not free at once
  Time64 last_ns;    // when it last got the lock, by a clock of some milliseconds
};

// Where one copy of a value lies when it is too long for the record.
struct UnitRun {
  uint32_t first = 0;
  uint32_t units = 0;  // 0 = it has none

  static constexpr UnitRun of(uint64_t raw) {
    return {static_cast<uint32_t>(raw), static_cast<uint32_t>(raw >> 32)};
  }
  constexpr uint64_t raw() const { return uint64_t{units} << 32 | first; }
};

// MutexRecord::on_owner_death.
enum class OnOwnerDeath : uint32_t {
  kCorrupt = 0,  // nobody gets the lock any more, until it is reset or replaced
  kRecover = 1,  // the next one goes on from the last committed value
};

// A lock with a value. The lock is held while its holder's own code runs, for as long as that
// takes; nothing else of the segment is guarded by it.
//
// The value lies twice: `value` says which copy counts, how long it is and of which version. The
// holder writes the other copy and switches over by that one word. So whoever dies, whenever,
// leaves a whole value.
struct alignas(64) MutexRecord {
  Word32 state;  // RecordState
  Word32 name_bytes;
  Word64 id;  // ≥ 1, below 2^53, not reused; pools and mutexes draw from the same numbers
  Word64 name_hash;
  Time64 created_ns;
  Word32 naming;          // Naming; one with a given name stays until that is removed
  Word32 on_owner_death;  // OnOwnerDeath
  Word32 seats;           // under table_lock

  alignas(64) Word64 lock;  // MutexWord
  Word64 value;             // ValueWord
  Word64 runs[2];           // UnitRun of each copy; under value_lock
  Word64 next_number;       // of tickets
  Word32 head;              // ticket that was seen to be the first in line; a hint

  alignas(64) Word64 inline_values[2][kInlineBytes / 8];

  // Counts of seats that are gone, as PoolRecord has them.
  alignas(64) Word64 fold;
  struct Folded {
    Word64 acquires;
    Word64 contended;
    Time64 last_ns;
  } folded[2];

  alignas(64) char name[kNameBytes + 1];
};

// Which units of the value area are some copy's. What counts is MutexRecord::runs; this is made
// anew from them when somebody died with value_lock in hand.
struct alignas(64) UnitMapRecord {
  Word64 used[kUnitsPerMap / 64];
};
struct alignas(64) UnitRecord {
  Word64 words[kUnitBytes / 8];
};

// What the pool's users ask for. The latest process to attach wins; an operator stands above it.
struct PoolSettings {
  Word32 max_size;
  Word32 patience_ms;      // kPatienceAuto = derived from the factory's time
  Word64 idle_timeout_ms;  // 0 = never
  Word32 close_wait_ms;
  Word32 rebalance;        // Rebalance
  Word32 min_idle;         // eviction of idle slots leaves so many
  Word32 max_waiting;      // kNoLimit = any number
  Word64 max_lifetime_ms;  // 0 = for ever
  Word64 leak_after_ms;    // a slot in use for longer is reported; 0 = never
  Word32 traits;           // PoolTrait
};
inline constexpr uint32_t kPatienceAuto = 0xffffffffu;
inline constexpr uint32_t kNoLimit = 0xffffffffu;
enum class Rebalance : uint32_t {
  kHandOver = 0,      // idle slots are closed for who waits elsewhere
  kStrict = 1,        // they stay
  kAsConfigured = 2,  // as SegmentHeader::default_rebalance says
};

// PoolSettings::traits.
enum PoolTrait : uint32_t {
  kPersistent = 1,  // idle slots outlive the requests of their process
  kAcceptGate = 2,  // a process without a slot takes no request while no unit is free
};

// PoolRecord::naming.
enum Naming : uint32_t {
  kGivenName = 1,    // somebody gave it this name; otherwise its place in the code did
  kNameRemoved = 2,  // the name is free again: only who is attached still uses the record
};

struct alignas(64) PoolRecord {
  Word32 state;  // RecordState
  Word32 name_bytes;
  Word64 id;  // ≥ 1, below 2^53, not reused
  Word64 name_hash;
  Word32 chunk_count;
  Word32 operator_max_size;  // 0 = unset
  PoolSettings settings;
  Time64 created_ns;
  Word32 naming;  // Naming
  // ProcessRecord::started_serial of who last asked for another cap or idle timeout than is stored;
  // 0 = nobody. For the daemon to say so.
  Word64 disagreed_serial;
  Word64 gate;   // GateWord: whether new acquires are admitted
  Word64 leaks;  // slots that were reported as held for too long

  alignas(64) Word64 lock;  // RobustMutex: queue, grants, cap
  Word32 head;              // ticket index or kNoIndex
  Word32 tail;
  Word64 next_number;
  Time64 head_since_ns;        // when the head began to wait; a hint for patience
  Word32 cap;                  // units that are part of the budget once excess is 0
  Word32 seats;                // under table_lock
  Time64 unattached_since_ns;  // 0 = somebody is attached
  Word64 settings_serial;      // ProcessRecord::started_serial of who set them
  Time64 settings_changed_ns;

  alignas(64) Word64 pressure;  // PressureWord
  Word64 factory_mean_ns;       // moving average, advisory

  // Budget that moves (rebalance.h). Written rarely: by the daemon, and at the ends of requests.
  alignas(64) Word32 reserve;  // so many units are to be free rather than idle
  Word32 gated;                // processes that wait at the accept gate
  Word32 gate_turn;            // futex: moves whenever a unit was freed while `gated` was not 0
  Word64 movements;            // ends of requests in which the pool was used, over the host
  Word64 starved_waits;        // waits that began although another worker had an idle slot

  alignas(64) char name[kNameBytes + 1];
  Word32 chunks[kMaxChunksPerPool];  // chunk indices; chunk_count of them are valid

  // Counts of seats that are gone. Two copies: the next one is computed in the spare copy, then
  // `fold` = serial of the seat just folded << 1 | index of the copy that counts.
  alignas(64) Word64 fold;
  CounterBlock folded[2];
};

// Offsets that LAYOUT.md draws.
#define OXPOOL_AT(record, field, bytes) static_assert(offsetof(record, field) == (bytes))
OXPOOL_AT(SegmentHeader, magic, 0);
OXPOOL_AT(SegmentHeader, abi_major, 8);
OXPOOL_AT(SegmentHeader, segment_bytes, 16);
OXPOOL_AT(SegmentHeader, identity, 24);
OXPOOL_AT(SegmentHeader, tables, 40);
OXPOOL_AT(SegmentHeader, namespace_name, 216);
OXPOOL_AT(SegmentHeader, table_lock, 320);
OXPOOL_AT(SegmentHeader, value_lock, 384);
OXPOOL_AT(SegmentHeader, value_limit_bytes, 392);
OXPOOL_AT(SegmentHeader, next_incarnation, 448);
OXPOOL_AT(SegmentHeader, high_water, 480);
OXPOOL_AT(SegmentHeader, broken, 568);
OXPOOL_AT(SegmentHeader, burials, 576);
OXPOOL_AT(SegmentHeader, mutexes_removed, 624);
OXPOOL_AT(SegmentHeader, default_rebalance, 640);
static_assert(sizeof(SegmentHeader) == 704);

OXPOOL_AT(ProcessRecord, program, 32);
static_assert(sizeof(ProcessRecord) == 64);

OXPOOL_AT(LaneRecord, incarnation, 8);
OXPOOL_AT(LaneRecord, attention, 64);
OXPOOL_AT(LaneRecord, sleep, 68);
OXPOOL_AT(LaneRecord, gated_at, 72);
static_assert(sizeof(LaneRecord) == 128);

OXPOOL_AT(TicketRecord, owner, 8);
OXPOOL_AT(TicketRecord, queue_pool, 16);
OXPOOL_AT(TicketRecord, queue_mutex, 28);
OXPOOL_AT(TicketRecord, number, 32);
OXPOOL_AT(TicketRecord, since_ns, 40);
OXPOOL_AT(TicketRecord, place, 56);
static_assert(sizeof(TicketRecord) == 64);

OXPOOL_AT(SlotRecord, changed_ns, 8);
OXPOOL_AT(SlotRecord, ticket, 24);
OXPOOL_AT(SlotRecord, expires_ns, 32);
OXPOOL_AT(SlotRecord, place, 40);
OXPOOL_AT(SlotRecord, gap_ns, 48);
static_assert(sizeof(SlotRecord) == 64);

OXPOOL_AT(ChunkRecord, free_hint, 16);
OXPOOL_AT(ChunkRecord, slots, 64);
static_assert(sizeof(ChunkRecord) == 64 + 64 * kSlotsPerChunk);

OXPOOL_AT(PlaceRecord, text, 8);
static_assert(sizeof(PlaceRecord) == 256);

OXPOOL_AT(SeatRecord, owner, 8);
OXPOOL_AT(SeatRecord, counts, 64);
static_assert(sizeof(CounterBlock) == 8 * (kCounterCount + kCloseReasonCount + kWaitBucketCount +
                                           kHoldBucketCount + kFactoryBucketCount));
static_assert(sizeof(SeatRecord) == 704);

OXPOOL_AT(PoolRecord, settings, 32);
OXPOOL_AT(PoolRecord, created_ns, 88);
OXPOOL_AT(PoolRecord, naming, 96);
OXPOOL_AT(PoolRecord, disagreed_serial, 104);
OXPOOL_AT(PoolRecord, gate, 112);
OXPOOL_AT(PoolRecord, lock, 128);
OXPOOL_AT(PoolRecord, pressure, 192);
OXPOOL_AT(PoolRecord, reserve, 256);
OXPOOL_AT(PoolRecord, movements, 272);
OXPOOL_AT(PoolRecord, name, 320);
OXPOOL_AT(PoolRecord, chunks, 576);
OXPOOL_AT(PoolRecord, fold, 1600);
OXPOOL_AT(PoolRecord, folded, 1608);
static_assert(sizeof(PoolRecord) == 2816);

OXPOOL_AT(MutexSeatRecord, owner, 8);
OXPOOL_AT(MutexSeatRecord, acquires, 32);
OXPOOL_AT(MutexSeatRecord, last_ns, 48);
static_assert(sizeof(MutexSeatRecord) == 64);

OXPOOL_AT(MutexRecord, created_ns, 24);
OXPOOL_AT(MutexRecord, naming, 32);
OXPOOL_AT(MutexRecord, seats, 40);
OXPOOL_AT(MutexRecord, lock, 64);
OXPOOL_AT(MutexRecord, value, 72);
OXPOOL_AT(MutexRecord, runs, 80);
OXPOOL_AT(MutexRecord, next_number, 96);
OXPOOL_AT(MutexRecord, head, 104);
OXPOOL_AT(MutexRecord, inline_values, 128);
OXPOOL_AT(MutexRecord, fold, 384);
OXPOOL_AT(MutexRecord, folded, 392);
OXPOOL_AT(MutexRecord, name, 448);
static_assert(sizeof(MutexRecord) == 704);

static_assert(sizeof(UnitMapRecord) == 64 && kUnitsPerMap == 512);
static_assert(sizeof(UnitRecord) == kUnitBytes);
#undef OXPOOL_AT

}  // namespace oxpool::shm
