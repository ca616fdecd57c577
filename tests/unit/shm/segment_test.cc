// Making, mapping and adopting a segment, and what is refused.
#include "shm/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>

#include "tests/unit/child_process.h"
#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

using test::ChildProcess;
using test::small_sizes;
using test::TemporaryDirectory;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class SegmentFile : public ::testing::Test {
 protected:
  SegmentFile() {
    if (Error error = MappedSegment::create(path(), "tenant", small_sizes(), &fd_, &segment_)) {
      throw std::runtime_error(error.message);
    }
  }
  ~SegmentFile() override { close(fd_); }

  std::string path() const { return directory_.file("segment"); }
  SegmentHeader& header() { return segment_.view().header(); }
  // Maps the file once more.
  Error adopt(MappedSegment* adopted) { return MappedSegment::map(fd_, path(), adopted); }
  Error adopt() {
    MappedSegment ignored;
    return adopt(&ignored);
  }

  TemporaryDirectory directory_;
  int fd_ = -1;
  MappedSegment segment_;
};

TEST_F(SegmentFile, IsReservedOwnerOnlyAndClosedOnExec) {
  struct stat status;
  ASSERT_EQ(0, fstat(fd_, &status));
  EXPECT_EQ(small_sizes().segment_bytes(), static_cast<uint64_t>(status.st_size));
  EXPECT_GE(status.st_blocks * 512, status.st_size);
  EXPECT_EQ(0600u, status.st_mode & 0777u);
  EXPECT_NE(0, fcntl(fd_, F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(small_sizes().segment_bytes(), segment_.view().bytes());
}

TEST_F(SegmentFile, HasTheRecordsThatWereAskedFor) {
  const SegmentView& view = segment_.view();
  EXPECT_TRUE(view.valid());
  EXPECT_EQ(16u, view.count(kProcessTable));
  EXPECT_EQ(32u, view.count(kLaneTable));
  EXPECT_EQ(40u, view.count(kTicketTable));
  EXPECT_EQ(4u, view.count(kPoolTable));
  EXPECT_EQ(16u, view.count(kSeatTable));
  EXPECT_EQ(8u, view.count(kChunkTable));
  EXPECT_STREQ("tenant", header().namespace_name);
  EXPECT_NE(0u, header().identity[0] | header().identity[1]);
  for (uint32_t table = 0; table < kTableCount; ++table) {
    EXPECT_EQ(0u, view.high_water(static_cast<TableIndex>(table)));
  }
}

TEST_F(SegmentFile, AdoptedSeesWhatTheFirstMappingWrote) {
  segment_.view().lane(7)->thread_id.store(4711);
  segment_.view().raise_high_water(kLaneTable, 8);
  MappedSegment adopted;
  ASSERT_FALSE(adopt(&adopted));
  EXPECT_EQ(4711u, adopted.view().lane(7)->thread_id.load());
  EXPECT_EQ(8u, adopted.view().high_water(kLaneTable));
  EXPECT_EQ(0, std::memcmp(header().identity, adopted.view().header().identity, 16));
}

TEST_F(SegmentFile, IsNotMadeOverAnother) {
  int fd = -1;
  MappedSegment second;
  const Error error = MappedSegment::create(path(), "other", small_sizes(), &fd, &second);
  EXPECT_EQ(ErrorCode::kSystem, error.code);
  EXPECT_TRUE(contains(error.message, path())) << error.message;
  EXPECT_EQ(-1, fd);
  EXPECT_FALSE(adopt()) << "the refused creation must leave the first one alone";
}

TEST_F(SegmentFile, LongNamespaceNameIsCutAndTerminated) {
  MappedSegment segment;
  int fd = -1;
  ASSERT_FALSE(MappedSegment::create(directory_.file("long"), std::string(200, 'n'), small_sizes(),
                                     &fd, &segment));
  close(fd);
  EXPECT_EQ(63u, strnlen(segment.view().header().namespace_name, kNamespaceBytes));
}

TEST_F(SegmentFile, MovedMappingKeepsItsRecords) {
  MappedSegment moved(std::move(segment_));
  ASSERT_NE(nullptr, moved.view().pool(3));
  moved.view().pool(3)->cap.store(9);
  segment_ = std::move(moved);
  EXPECT_EQ(9u, segment_.view().pool(3)->cap.load());
}

TEST_F(SegmentFile, TooShortFilesAreRefused) {
  for (const off_t bytes : {0, 1, 447}) {
    ASSERT_EQ(0, ftruncate(fd_, bytes));
    const Error error = adopt();
    EXPECT_EQ(ErrorCode::kNotASegment, error.code);
    EXPECT_TRUE(contains(error.message, path())) << error.message;
    EXPECT_TRUE(contains(error.message, std::to_string(bytes))) << error.message;
  }
}

TEST_F(SegmentFile, AnotherSizeThanTheHeaderSaysIsRefused) {
  const auto bytes = static_cast<off_t>(segment_.view().bytes());
  for (const off_t wrong : {bytes - 4096, bytes + 4096, bytes + 1}) {
    ASSERT_EQ(0, ftruncate(fd_, wrong));
    const Error error = adopt();
    EXPECT_EQ(ErrorCode::kNotASegment, error.code);
    EXPECT_TRUE(contains(error.message, std::to_string(wrong))) << error.message;
    EXPECT_TRUE(contains(error.message, std::to_string(bytes))) << error.message;
  }
}

TEST_F(SegmentFile, UnfinishedOrForeignFileIsRefused) {
  for (const uint64_t magic : {uint64_t{0}, kMagic + 1}) {
    header().magic.store(magic);
    EXPECT_EQ(ErrorCode::kNotASegment, adopt().code);
  }
  header().magic.store(kMagic);
  EXPECT_FALSE(adopt());
}

TEST_F(SegmentFile, AnotherMajorVersionIsRefusedNamingBoth) {
  header().abi_major = kAbiMajor + 41;
  const Error error = adopt();
  EXPECT_EQ(ErrorCode::kAbi, error.code);
  EXPECT_TRUE(contains(error.message, std::to_string(kAbiMajor + 41))) << error.message;
  EXPECT_TRUE(contains(error.message, "this program has " + std::to_string(kAbiMajor)));
}

TEST_F(SegmentFile, AnotherMinorVersionIsAccepted) {
  header().abi_minor = kAbiMinor + 5;
  EXPECT_FALSE(adopt());
}

TEST_F(SegmentFile, ForgedTablesAreRefused) {
  const std::function<void(TableSpan&)> forgeries[] = {
      [](TableSpan& span) { span.count = 0; },
      [](TableSpan& span) { span.count = 0xffffffff; },
      [](TableSpan& span) { span.count = (1u << 20) + 1; },
      [](TableSpan& span) { span.record_bytes += 64; },
      [](TableSpan& span) { span.record_bytes = 0; },
      [](TableSpan& span) { span.offset_bytes += 8; },
      [](TableSpan& span) { span.offset_bytes = 0; },
      [](TableSpan& span) { span.offset_bytes = 384; },
      [](TableSpan& span) { span.offset_bytes = small_sizes().segment_bytes(); },
      [](TableSpan& span) { span.offset_bytes += 64; },
      [](TableSpan& span) { span.offset_bytes = small_sizes().segment_bytes() + 64; },
      [](TableSpan& span) { span.offset_bytes = ~uint64_t{63}; },
      [](TableSpan& span) { span.offset_bytes = small_sizes().segment_bytes() - 64; },
  };
  for (uint32_t table = 0; table < kTableCount; ++table) {
    const TableSpan honest = header().tables[table];
    for (size_t i = 0; i < std::size(forgeries); ++i) {
      forgeries[i](header().tables[table]);
      EXPECT_EQ(ErrorCode::kNotASegment, adopt().code) << "table " << table << " forgery " << i;
      header().tables[table] = honest;
    }
  }
  EXPECT_FALSE(adopt());
}

TEST_F(SegmentFile, MapThatIsTooShortForTheUnitsIsRefused) {
  header().tables[kUnitTable].count = kUnitsPerMap + 1;
  header().tables[kUnitTable].offset_bytes = header().tables[kUnitMapTable].offset_bytes + 4096;
  EXPECT_EQ(ErrorCode::kNotASegment, adopt().code);
}

TEST_F(SegmentFile, TablesOverEachOtherAreRefused) {
  header().tables[kUnitTable].offset_bytes = header().tables[kUnitMapTable].offset_bytes;
  EXPECT_EQ(ErrorCode::kNotASegment, adopt().code);
}

TEST_F(SegmentFile, FewerTicketsThanLanesAreRefused) {
  header().tables[kTicketTable].count = header().tables[kLaneTable].count - 1;
  EXPECT_EQ(ErrorCode::kNotASegment, adopt().code);
}

TEST_F(SegmentFile, ViewGivesNothingOutOfRange) {
  const SegmentView& view = segment_.view();
  for (const uint32_t beyond : {64u, 0x7fffffffu, kNoIndex}) {
    EXPECT_EQ(nullptr, view.process(beyond));
    EXPECT_EQ(nullptr, view.lane(beyond));
    EXPECT_EQ(nullptr, view.ticket(beyond));
    EXPECT_EQ(nullptr, view.pool(beyond));
    EXPECT_EQ(nullptr, view.seat(beyond));
    EXPECT_EQ(nullptr, view.chunk(beyond));
    EXPECT_EQ(nullptr, view.mutex(beyond));
    EXPECT_EQ(nullptr, view.mutex_seat(beyond));
    EXPECT_EQ(nullptr, view.unit_map(beyond));
    EXPECT_EQ(nullptr, view.unit(beyond));
  }
  EXPECT_TRUE(view.has_units({0, 64}));
  EXPECT_TRUE(view.has_units({64, 0}));
  EXPECT_FALSE(view.has_units({0, 65}));
  EXPECT_FALSE(view.has_units({1, 64}));
  EXPECT_FALSE(view.has_units({kNoIndex, 1}));
  EXPECT_FALSE(view.has_units({1, kNoIndex}));
  EXPECT_EQ(nullptr, view.pool(4));
  EXPECT_NE(nullptr, view.pool(3));
  EXPECT_EQ(3u, view.index_of(*view.pool(3)));
  EXPECT_EQ(15u, view.index_of(*view.seat(15)));
}

TEST_F(SegmentFile, ViewIsNotLedAstrayByAScribbledHeader) {
  std::memset(header().tables, 0xff, sizeof header().tables);
  for (Word32& mark : header().high_water) mark.store(kNoIndex);
  const SegmentView& view = segment_.view();
  EXPECT_EQ(4u, view.count(kPoolTable));
  EXPECT_EQ(4u, view.high_water(kPoolTable));
  EXPECT_EQ(nullptr, view.pool(4));
  EXPECT_LT(reinterpret_cast<char*>(view.chunk(7)) + sizeof(ChunkRecord),
            static_cast<char*>(segment_.base()) + view.bytes() + 1);
}

TEST_F(SegmentFile, SlotsOfAScribbledPoolStayInTheSegment) {
  const SegmentView& view = segment_.view();
  PoolRecord& pool = *view.pool(1);
  pool.chunk_count.store(kNoIndex);
  for (Word32& chunk : pool.chunks) chunk.store(kNoIndex);
  pool.chunks[255].store(7);
  view.chunk(7)->pool.store(1);
  view.chunk(7)->position.store(255);
  EXPECT_EQ(kMaxChunksPerPool, view.chunk_count(pool));
  EXPECT_EQ(nullptr, view.chunk_of(pool, 0));
  EXPECT_EQ(nullptr, view.slot(pool, 0));
  EXPECT_EQ(nullptr, view.chunk_of(pool, kMaxChunksPerPool));
  EXPECT_EQ(nullptr, view.slot(pool, kMaxSlotsPerPool));
  EXPECT_EQ(nullptr, view.slot(pool, kNoIndex));
  EXPECT_EQ(&view.chunk(7)->slots[31], view.slot(pool, kMaxSlotsPerPool - 1));
}

// However often a chunk is listed, all walks over all pools meet it once.
TEST_F(SegmentFile, AChunkIsFoundWhereItSaysThatItBelongs) {
  const SegmentView& view = segment_.view();
  view.chunk(3)->pool.store(1);
  view.chunk(3)->position.store(2);
  uint32_t found = 0;
  for (uint32_t i = 0; i < view.count(kPoolTable); ++i) {
    PoolRecord& pool = *view.pool(i);
    pool.chunk_count.store(kMaxChunksPerPool);
    for (Word32& chunk : pool.chunks) chunk.store(3);
    for (uint32_t position = 0; position < kMaxChunksPerPool; ++position) {
      if (view.chunk_of(pool, position) != nullptr) ++found;
    }
  }
  EXPECT_EQ(1u, found);
  EXPECT_EQ(view.chunk(3), view.chunk_of(*view.pool(1), 2));
}

// What `create` says in a place that has no room; run in a child, whose limits are its own.
int create_without_room(const std::string& path) {
  int fd = -1;
  MappedSegment segment;
  const Error error = MappedSegment::create(path, "full", small_sizes(), &fd, &segment);
  if (error.code != ErrorCode::kNoRoom) return 1;
  if (!contains(error.message, path)) return 2;
  if (!contains(error.message, std::to_string(small_sizes().segment_bytes()))) return 3;
  if (std::filesystem::exists(path)) return 4;
  return fd == -1 ? 0 : 5;
}

TEST(SegmentCreation, FullFileSystemIsRefusedAndLeavesNoFile) {
  constexpr int kMayNotMount = 77;
  TemporaryDirectory directory;
  ChildProcess child([&] {
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=32k") == 0;
    return mounted ? create_without_room(directory.file("segment")) : kMayNotMount;
  });
  const int outcome = child.wait();
  if (outcome == kMayNotMount) GTEST_SKIP() << "may not mount a small tmpfs here";
  EXPECT_EQ(0, outcome);
}

TEST(SegmentCreation, FileSizeLimitIsRefusedAndLeavesNoFile) {
  TemporaryDirectory directory;
  ChildProcess child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{32768, 32768};
    setrlimit(RLIMIT_FSIZE, &limit);
    return create_without_room(directory.file("segment"));
  });
  EXPECT_EQ(0, child.wait());
}

TEST(SegmentCreation, MissingDirectoryIsNamed) {
  int fd = -1;
  MappedSegment segment;
  const Error error = MappedSegment::create("/dev/shm/no-such-directory/segment", "x",
                                            small_sizes(), &fd, &segment);
  EXPECT_EQ(ErrorCode::kSystem, error.code);
  EXPECT_TRUE(contains(error.message, "/dev/shm/no-such-directory/segment")) << error.message;
}

TEST(SegmentCreation, MoreLanesThanAnOwnerIdCanNameAreRefused) {
  TemporaryDirectory directory;
  SegmentSizes sizes = small_sizes();
  sizes.lanes = kMaxLanes + 1;
  int fd = -1;
  MappedSegment segment;
  EXPECT_EQ(ErrorCode::kNotASegment,
            MappedSegment::create(directory.file("segment"), "x", sizes, &fd, &segment).code);
  EXPECT_FALSE(std::filesystem::exists(directory.file("segment")));
}

}  // namespace
}  // namespace oxpool::shm
