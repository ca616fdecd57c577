// The smallest daemon: answers hellos on client.sock and holds one segment. It buries nobody.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proto/handshake.h"
#include "shm/segment.h"
#include "tests/unit/temporary_directory.h"

namespace oxpool::test {

// Thread safety: start and stop from one thread; the answers come from its own.
class HandshakeServer {
 public:
  explicit HandshakeServer(const shm::SegmentSizes& sizes = {});
  ~HandshakeServer();

  const std::string& runtime_dir() const { return directory_.path(); }
  const shm::SegmentView& view() const { return segment_.view(); }
  std::string lock_path() const { return directory_.file("locks"); }

  // Closes the listener and every session, as a killed daemon's kernel does; the segment stays.
  void stop();
  // Listens again on the same segment.
  void start();
  // From now on every hello gets this status and message.
  void refuse(proto::ReplyStatus status, const std::string& message);

  int sessions_made() const { return sessions_made_; }

  // A byte on every session, as the daemon tells a worker of a flag.
  void wake_all();

 private:
  void serve();
  void answer(int session);
  uint32_t free_process(int* token);
  void close_ended_sessions();
  proto::Reply reply_to(const proto::Hello& hello, int* token);

  TemporaryDirectory directory_;
  shm::MappedSegment segment_;
  int segment_fd_ = -1;
  int listener_ = -1;
  int stop_pipe_[2] = {-1, -1};
  std::thread thread_;
  std::atomic<int> sessions_made_{0};
  std::atomic<proto::ReplyStatus> status_{proto::ReplyStatus::kOk};
  std::string message_;
  std::vector<int> sessions_;
};

}  // namespace oxpool::test
