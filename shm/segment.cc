#include "shm/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace oxpool::shm {

namespace {

struct TablePlan {
  TableSpan spans[kTableCount];
  uint64_t total_bytes;
};

constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kRecordBytes[kTableCount] = {
    sizeof(ProcessRecord),   sizeof(LaneRecord),    sizeof(TicketRecord), sizeof(PoolRecord),
    sizeof(SeatRecord),      sizeof(ChunkRecord),   sizeof(PlaceRecord),  sizeof(MutexRecord),
    sizeof(MutexSeatRecord), sizeof(UnitMapRecord), sizeof(UnitRecord)};
// Far above what anybody needs; keeps offsets of a forged header from overflowing.
constexpr uint32_t kMaxRecords = 1u << 20;

constexpr uint64_t round_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

TablePlan plan(const SegmentSizes& sizes) {
  const uint32_t units = sizes.value_bytes / kUnitBytes;
  const uint32_t counts[kTableCount] = {sizes.processes,
                                        sizes.lanes,
                                        sizes.lanes + sizes.extra_tickets,
                                        sizes.pools,
                                        sizes.seats,
                                        sizes.chunks,
                                        sizes.places,
                                        sizes.mutexes,
                                        sizes.mutex_seats,
                                        (units + kUnitsPerMap - 1) / kUnitsPerMap,
                                        units};
  TablePlan result{};
  uint64_t offset = round_up(sizeof(SegmentHeader), kPageBytes);
  for (uint32_t table = 0; table < kTableCount; ++table) {
    result.spans[table] = {offset, counts[table], kRecordBytes[table]};
    offset = round_up(offset + uint64_t{counts[table]} * kRecordBytes[table], kPageBytes);
  }
  result.total_bytes = offset;
  return result;
}

std::string system_text(int error) { return std::strerror(error); }

Error system_error(const std::string& what, int error) {
  return Error::make(ErrorCode::kSystem, what + ": " + system_text(error));
}

void fill_header(void* base, const std::string& namespace_name, const TablePlan& tables) {
  auto* header = new (base) SegmentHeader;  // the file is zeroed: zero is every field's start
  header->abi_major = kAbiMajor;
  header->abi_minor = kAbiMinor;
  header->segment_bytes = tables.total_bytes;
  if (getrandom(header->identity, sizeof header->identity, 0) !=
      static_cast<ssize_t>(sizeof header->identity)) {
    header->identity[0] = static_cast<uint64_t>(getpid());
    header->identity[1] = reinterpret_cast<uintptr_t>(base);
  }
  std::copy_n(tables.spans, +kTableCount, header->tables);
  std::memcpy(header->namespace_name, namespace_name.data(),
              std::min<size_t>(namespace_name.size(), kNamespaceBytes - 1));
  header->value_limit_bytes.store(kDefaultValueLimitBytes, std::memory_order_relaxed);
  header->default_patience_ms.store(kPatienceAuto, std::memory_order_relaxed);
  header->magic.store(kMagic, std::memory_order_release);  // publishes all of the above
}

}  // namespace

uint64_t SegmentSizes::segment_bytes() const { return plan(*this).total_bytes; }

Error SegmentView::open(void* base, uint64_t bytes, SegmentView* view) {
  if (bytes < sizeof(SegmentHeader)) {
    return Error::make(ErrorCode::kNotASegment, "has only " + std::to_string(bytes) + " bytes");
  }
  const auto* header = static_cast<const SegmentHeader*>(base);
  if (header->magic.load(std::memory_order_acquire) != kMagic) {
    return Error::make(ErrorCode::kNotASegment, "is not an oxpool segment, or was never finished");
  }
  if (header->abi_major != kAbiMajor) {
    return Error::make(ErrorCode::kAbi, "has layout version " + std::to_string(header->abi_major) +
                                            ", this program has " + std::to_string(kAbiMajor));
  }
  if (header->segment_bytes != bytes) {
    return Error::make(ErrorCode::kNotASegment, "should have " +
                                                    std::to_string(header->segment_bytes) +
                                                    " bytes but has " + std::to_string(bytes));
  }
  SegmentView result;
  uint64_t end_of_last = sizeof(SegmentHeader);
  std::copy_n(header->tables, +kTableCount, result.tables_);
  for (uint32_t table = 0; table < kTableCount; ++table) {
    const TableSpan& span = result.tables_[table];
    const bool sane = span.record_bytes == kRecordBytes[table] && span.count > 0 &&
                      span.count <= kMaxRecords && span.offset_bytes % kPageBytes == 0 &&
                      span.offset_bytes >= end_of_last && span.offset_bytes <= bytes &&
                      uint64_t{span.count} * span.record_bytes <= bytes - span.offset_bytes;
    if (!sane) {
      return Error::make(ErrorCode::kNotASegment,
                         "has an impossible table number " + std::to_string(table));
    }
    end_of_last = span.offset_bytes + uint64_t{span.count} * span.record_bytes;
  }
  if (result.tables_[kLaneTable].count > kMaxLanes ||
      result.tables_[kProcessTable].count > kMaxLanes ||
      result.tables_[kTicketTable].count < result.tables_[kLaneTable].count ||
      uint64_t{result.tables_[kUnitMapTable].count} * kUnitsPerMap <
          result.tables_[kUnitTable].count) {
    return Error::make(ErrorCode::kNotASegment, "has tables that do not fit each other");
  }
  result.base_ = static_cast<char*>(base);
  result.bytes_ = bytes;
  *view = result;
  return Error::ok();
}

uint32_t SegmentView::high_water(TableIndex table) const {
  return std::min(header().high_water[table].load(std::memory_order_acquire), tables_[table].count);
}

void SegmentView::raise_high_water(TableIndex table, uint32_t used) const {
  Word32& mark = header().high_water[table];
  uint32_t seen = mark.load(std::memory_order_relaxed);
  while (seen < used && !mark.compare_exchange_weak(seen, used, std::memory_order_acq_rel)) {
  }
}

uint32_t SegmentView::index_in(TableIndex table, const void* record) const {
  const auto offset = static_cast<const char*>(record) - base_;
  return static_cast<uint32_t>((static_cast<uint64_t>(offset) - tables_[table].offset_bytes) /
                               tables_[table].record_bytes);
}

uint32_t SegmentView::chunk_count(const PoolRecord& pool) const {
  return std::min(pool.chunk_count.load(std::memory_order_acquire), kMaxChunksPerPool);
}

// `pool` is a record of this very mapping: the same one in another mapping is a stranger.
ChunkRecord* SegmentView::chunk_of(const PoolRecord& pool, uint32_t position) const {
  if (position >= chunk_count(pool)) return nullptr;
  ChunkRecord* found = chunk(pool.chunks[position].load(std::memory_order_relaxed));
  // A chunk is one pool's, at one place: lists that were scribbled on lead to each of them once, so
  // what walks over all pools is bounded by the chunk table.
  const bool its_own = found != nullptr &&
                       found->position.load(std::memory_order_relaxed) == position &&
                       this->pool(found->pool.load(std::memory_order_relaxed)) == &pool;
  return its_own ? found : nullptr;
}

SlotRecord* SegmentView::slot(const PoolRecord& pool, uint32_t index) const {
  ChunkRecord* chunk = chunk_of(pool, index / kSlotsPerChunk);
  return chunk != nullptr ? &chunk->slots[index % kSlotsPerChunk] : nullptr;
}

MappedSegment::~MappedSegment() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

MappedSegment::MappedSegment(MappedSegment&& other) noexcept { *this = std::move(other); }

MappedSegment& MappedSegment::operator=(MappedSegment&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(view_, other.view_);
  return *this;
}

Error MappedSegment::map(int fd, const std::string& what, MappedSegment* segment) {
  MappedSegment result;
  if (Error error = map_unchecked(fd, what, &result)) return error;
  if (Error error = result.check(what)) return error;
  *segment = std::move(result);
  return Error::ok();
}

Error MappedSegment::check(const std::string& what) {
  Error error = SegmentView::open(base_, bytes_, &view_);
  return error ? Error::make(error.code, what + " " + error.message) : Error::ok();
}

Error MappedSegment::map_unchecked(int fd, const std::string& what, MappedSegment* segment) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return system_error(what, errno);
  MappedSegment result;
  result.bytes_ = static_cast<uint64_t>(status.st_size);
  if (result.bytes_ < sizeof(SegmentHeader)) {
    return Error::make(ErrorCode::kNotASegment,
                       what + " has only " + std::to_string(result.bytes_) + " bytes");
  }
  void* base = mmap(nullptr, result.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return system_error(what + ": mmap", errno);
  result.base_ = base;
  *segment = std::move(result);
  return Error::ok();
}

Error MappedSegment::create(const std::string& path, const std::string& namespace_name,
                            const SegmentSizes& sizes, int* fd, MappedSegment* segment) {
  const TablePlan tables = plan(sizes);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return system_error(path, errno);
  auto fail = [&](Error error) {
    close(file);
    unlink(path.c_str());
    return error;
  };
  // All pages are reserved now: running out later would be a SIGBUS in a worker.
  if (int status = posix_fallocate(file, 0, static_cast<off_t>(tables.total_bytes)); status != 0) {
    struct statvfs space {};
    const uint64_t free_bytes =
        statvfs(path.c_str(), &space) == 0 ? uint64_t{space.f_bavail} * space.f_frsize : 0;
    return fail(Error::make(ErrorCode::kNoRoom,
                            path + ": a segment needs " + std::to_string(tables.total_bytes) +
                                " bytes and there are " + std::to_string(free_bytes) + " free (" +
                                system_text(status) +
                                "); enlarge the file system or lower the table sizes"));
  }
  void* base = mmap(nullptr, tables.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (base == MAP_FAILED) return fail(system_error(path + ": mmap", errno));
  fill_header(base, namespace_name, tables);
  munmap(base, tables.total_bytes);
  if (Error error = map(file, path, segment)) return fail(std::move(error));
  *fd = file;
  return Error::ok();
}

Error MappedSegment::create_without_file(const std::string& namespace_name,
                                         const SegmentSizes& sizes, MappedSegment* segment) {
  const TablePlan tables = plan(sizes);
  MappedSegment result;
  result.bytes_ = tables.total_bytes;
  void* base =
      mmap(nullptr, result.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    return system_error("a segment of " + std::to_string(result.bytes_) + " bytes", errno);
  }
  result.base_ = base;
  fill_header(base, namespace_name, tables);
  if (Error error = SegmentView::open(base, result.bytes_, &result.view_)) return error;
  *segment = std::move(result);
  return Error::ok();
}

}  // namespace oxpool::shm
