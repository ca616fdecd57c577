// One namespace's shared memory: creating it, mapping it, and reaching its records safely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "shm/error.h"
#include "shm/layout.h"

namespace oxpool::shm {

// How many records of each kind a new segment gets. Memory is reserved when it is created.
struct SegmentSizes {
  uint32_t processes = 4096;
  uint32_t lanes = 4096;
  uint32_t extra_tickets = 1024;  // beside one ticket per lane
  uint32_t pools = 1024;
  uint32_t seats = 8192;
  uint32_t chunks = 1024;  // of 32 slots each
  uint32_t places = 1024;  // lines of source code
  uint32_t mutexes = 1024;
  uint32_t mutex_seats = 8192;
  uint32_t value_bytes = 8u << 20;  // for values that are too long for their mutex's record

  // Bytes of a segment with these tables.
  uint64_t segment_bytes() const;
};

// Access to a mapped segment's records. A copyable value: the mapping must outlive it.
//
// Everything read from the segment may have been scribbled on, so: where tables lie is checked once
// when the view is made and kept here, out of others' reach; each accessor checks its index and
// returns nullptr when it is out of range.
//
// Thread safety: may be used by any number of threads and processes at once; what the records'
// fields need is said in layout.h.
class SegmentView {
 public:
  SegmentView() = default;

  // Checks magic, ABI, size and tables of the `bytes` mapped at `base`.
  static Error open(void* base, uint64_t bytes, SegmentView* view);

  bool valid() const { return base_ != nullptr; }
  SegmentHeader& header() const { return *reinterpret_cast<SegmentHeader*>(base_); }
  uint64_t bytes() const { return bytes_; }
  uint32_t count(TableIndex table) const { return tables_[table].count; }
  // One above the highest record ever used, never above count().
  uint32_t high_water(TableIndex table) const;
  void raise_high_water(TableIndex table, uint32_t used) const;

  ProcessRecord* process(uint32_t index) const { return at<ProcessRecord>(kProcessTable, index); }
  LaneRecord* lane(uint32_t index) const { return at<LaneRecord>(kLaneTable, index); }
  TicketRecord* ticket(uint32_t index) const { return at<TicketRecord>(kTicketTable, index); }
  PoolRecord* pool(uint32_t index) const { return at<PoolRecord>(kPoolTable, index); }
  SeatRecord* seat(uint32_t index) const { return at<SeatRecord>(kSeatTable, index); }
  ChunkRecord* chunk(uint32_t index) const { return at<ChunkRecord>(kChunkTable, index); }
  PlaceRecord* place(uint32_t index) const { return at<PlaceRecord>(kPlaceTable, index); }

  MutexRecord* mutex(uint32_t index) const { return at<MutexRecord>(kMutexTable, index); }
  MutexSeatRecord* mutex_seat(uint32_t index) const {
    return at<MutexSeatRecord>(kMutexSeatTable, index);
  }
  UnitMapRecord* unit_map(uint32_t index) const { return at<UnitMapRecord>(kUnitMapTable, index); }
  UnitRecord* unit(uint32_t index) const { return at<UnitRecord>(kUnitTable, index); }

  uint32_t index_of(const MutexRecord& mutex) const { return index_in(kMutexTable, &mutex); }
  uint32_t index_of(const MutexSeatRecord& seat) const { return index_in(kMutexSeatTable, &seat); }
  uint32_t index_of(const PoolRecord& pool) const { return index_in(kPoolTable, &pool); }
  uint32_t index_of(const SeatRecord& seat) const { return index_in(kSeatTable, &seat); }

  // The pool's position-th chunk; nullptr when there is none or the records contradict each other.
  ChunkRecord* chunk_of(const PoolRecord& pool, uint32_t position) const;
  // How many chunks the pool has, never above kMaxChunksPerPool.
  uint32_t chunk_count(const PoolRecord& pool) const;
  // Whether all units of a copy lie in the value area. One that has none does.
  bool has_units(UnitRun run) const {
    return run.units <= count(kUnitTable) && run.first <= count(kUnitTable) - run.units;
  }
  // The pool's slot by its number within the pool; nullptr as above.
  SlotRecord* slot(const PoolRecord& pool, uint32_t index) const;

 private:
  template <typename Record>
  Record* at(TableIndex table, uint32_t index) const {
    const TableSpan& span = tables_[table];
    if (index >= span.count) return nullptr;
    return reinterpret_cast<Record*>(base_ + span.offset_bytes + uint64_t{index} * sizeof(Record));
  }
  uint32_t index_in(TableIndex table, const void* record) const;

  char* base_ = nullptr;
  uint64_t bytes_ = 0;
  TableSpan tables_[kTableCount] = {};
};

// A mapping of a whole segment; unmapped at the end. Movable.
class MappedSegment {
 public:
  MappedSegment() = default;
  ~MappedSegment();
  MappedSegment(MappedSegment&& other) noexcept;
  MappedSegment& operator=(MappedSegment&& other) noexcept;

  // Maps the whole file behind `fd` and checks it. `fd` stays the caller's. `what` names the
  // segment in errors.
  static Error map(int fd, const std::string& what, MappedSegment* segment);

  // The two halves of map, for whoever has to do something about the mapping before its first byte
  // is read. There is no view before check has found it sound; after an error it is of no use.
  static Error map_unchecked(int fd, const std::string& what, MappedSegment* segment);
  Error check(const std::string& what);

  // Makes a new segment file at `path`, all of it reserved, its header published last; owner-only
  // permissions. Fails when the path exists. On success *fd is an open descriptor of it.
  static Error create(const std::string& path, const std::string& namespace_name,
                      const SegmentSizes& sizes, int* fd, MappedSegment* segment);

  // Makes a new segment that has no file: it is shared with the processes forked afterwards, and
  // with nobody else.
  static Error create_without_file(const std::string& namespace_name, const SegmentSizes& sizes,
                                   MappedSegment* segment);

  const SegmentView& view() const { return view_; }
  void* base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void* base_ = nullptr;
  uint64_t bytes_ = 0;
  SegmentView view_;
};

}  // namespace oxpool::shm
