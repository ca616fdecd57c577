// Attaching a process: what it says of itself, and what it does not take from a daemon.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "client/hang_up.h"
#include "client/process.h"
#include "shm/lane.h"
#include "shm/segment.h"
#include "tests/unit/scripted_listener.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

class AttachProcess : public ::testing::Test {
 protected:
  AttachProcess() {
    int fd = -1;
    if (shm::MappedSegment::create(directory_.file("segment"), "tenant", few(), &fd, &segment_)) {
      throw std::runtime_error("segment");
    }
    segment_fd_ = OwnedFd(fd);
    token_ = OwnedFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    incarnation_ = shm::publish_process(segment_.view(), 3, 0, 0, "test", 1);
  }

  proto::Reply reply() {
    proto::Reply reply = good_reply();
    reply.process = 3;
    reply.process_incarnation = incarnation_;
    std::strcpy(reply.namespace_name, "tenant");
    return reply;
  }
  Error attach(const proto::Reply& reply, int segment_fd) {
    ScriptedListener server([&](int connection) {
      hello_ = read_hello(connection);
      send_reply(connection, reply, {segment_fd, token_.get()});
    });
    options_.runtime_dir = server.runtime_dir();
    options_.connect_timeout_ms = 30'000;
    return Process::attach(options_, &process_);
  }
  static bool says(const Error& error, const std::string& part) {
    return error.message.find(part) != std::string::npos;
  }

  TemporaryDirectory directory_;
  shm::MappedSegment segment_;
  OwnedFd segment_fd_;
  OwnedFd token_;
  uint64_t incarnation_ = 0;
  ProcessOptions options_;
  proto::Hello hello_{};
  std::unique_ptr<Process> process_;
};

TEST_F(AttachProcess, SaysWhoItIsAndTakesWhatItIsGiven) {
  options_.namespace_name = "tenant";
  options_.program = std::string(100, 'p');
  ASSERT_FALSE(attach(reply(), segment_fd_.get()));
  EXPECT_EQ(proto::kHelloMagic, hello_.magic);
  EXPECT_EQ(sizeof(proto::Hello), hello_.bytes);
  EXPECT_EQ(shm::kAbiMajor, hello_.abi_major);
  EXPECT_EQ(proto::HelloKind::kAttach, hello_.kind);
  EXPECT_STREQ("tenant", hello_.namespace_name);
  EXPECT_EQ(31u, strnlen(hello_.program, sizeof hello_.program));
  EXPECT_LE(hello_.monotonic_ns, shm::monotonic_ns());
  EXPECT_EQ(3u, process_->index());
  EXPECT_EQ(incarnation_, process_->incarnation());
  EXPECT_EQ("tenant", process_->namespace_name());
  EXPECT_TRUE(process_->session_open());
}

TEST_F(AttachProcess, KeepsTokenAndSessionAndNotTheSegmentsDescriptor) {
  const size_t before = open_descriptors().size();
  ASSERT_FALSE(attach(reply(), segment_fd_.get()));
  EXPECT_EQ(before + 2, open_descriptors().size());
  process_.reset();
  EXPECT_EQ(before, open_descriptors().size());
}

TEST_F(AttachProcess, TooLongNamespaceIsRefusedAtHome) {
  options_.namespace_name = std::string(64, 'n');
  const Error error = Process::attach(options_, &process_);
  EXPECT_EQ(Status::kRefused, error.status);
  EXPECT_TRUE(says(error, "64 bytes") && says(error, "at most 63")) << error.message;
}

TEST_F(AttachProcess, FileThatIsNoSegmentIsRefused) {
  const OwnedFd file(memfd_create("no segment", MFD_CLOEXEC));
  ASSERT_EQ(0, ftruncate(file.get(), 8192));
  Error error = attach(reply(), file.get());
  EXPECT_EQ(Status::kProtocol, error.status);
  EXPECT_TRUE(says(error, "not an oxpool segment")) << error.message;
  error = attach(reply(), token_.get());
  EXPECT_EQ(Status::kProtocol, error.status) << error.message;
  EXPECT_EQ(nullptr, process_);
}

TEST_F(AttachProcess, SegmentOfAnotherLayoutIsRefused) {
  segment_.view().header().abi_major = shm::kAbiMajor + 1;
  const Error error = attach(reply(), segment_fd_.get());
  EXPECT_EQ(Status::kAbi, error.status);
  EXPECT_TRUE(says(error, "layout version")) << error.message;
}

TEST_F(AttachProcess, RecordThatIsNotItsOwnIsRefused) {
  proto::Reply wrong = reply();
  wrong.process = 64;  // not in the table
  EXPECT_EQ(Status::kProtocol, attach(wrong, segment_fd_.get()).status);
  wrong.process = shm::kNoIndex;
  EXPECT_EQ(Status::kProtocol, attach(wrong, segment_fd_.get()).status);
  wrong = reply();
  wrong.process_incarnation += 1;
  EXPECT_EQ(Status::kProtocol, attach(wrong, segment_fd_.get()).status);
  wrong.process = 5;
  wrong.process_incarnation = 0;
  EXPECT_EQ(Status::kProtocol, attach(wrong, segment_fd_.get()).status);
  EXPECT_EQ(nullptr, process_);
}

}  // namespace
}  // namespace oxpool::test
