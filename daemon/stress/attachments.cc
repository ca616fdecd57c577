// What many attached workers that do nothing cost the daemon.
//
//   oxpoold_attachments DIR [WORKERS] [POOLS] [SECONDS]
//
// Attaches so many workers (1,000) from this one process to the oxpoold of the runtime directory
// DIR, makes so many pools (200) of 16 units with five seats and four idle slots each, and then
// measures the daemon's processor time and memory for so long (20). At the end it dies with
// everything, so the daemon's log shows the burials.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "daemon/unique_fd.h"
#include "proto/handshake.h"
#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/locks.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/segment.h"
#include "shm/slot.h"

namespace {

using namespace oxpool;
using daemon::UniqueFd;

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "oxpoold_attachments: " << what << "\n";
  std::exit(1);
}

struct Worker {
  UniqueFd session;
  UniqueFd token;
  uint32_t process = 0;
  uint64_t incarnation = 0;
  shm::OwnerId lane;
};

Worker attach(const std::string& directory, UniqueFd* segment) {
  Worker worker;
  worker.session = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (directory + "/client.sock").c_str(), sizeof address.sun_path - 1);
  if (connect(worker.session.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail("can not connect to " + std::string(address.sun_path) + ": " + std::strerror(errno));
  }
  proto::Hello hello{};
  hello.magic = proto::kHelloMagic;
  hello.bytes = sizeof hello;
  hello.abi_major = shm::kAbiMajor;
  hello.kind = proto::HelloKind::kAttach;
  std::strcpy(hello.program, "stress");
  if (send(worker.session.get(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello) fail("send");

  proto::Reply reply{};
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(worker.session.get(), &message, MSG_CMSG_CLOEXEC) != sizeof reply) fail("no answer");
  if (reply.status != proto::ReplyStatus::kOk) fail(reply.message);
  if (CMSG_FIRSTHDR(&message) == nullptr) fail("an answer without descriptors");
  int descriptors[2];
  std::memcpy(descriptors, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptors);
  segment->reset(descriptors[0]);
  worker.token = UniqueFd(descriptors[1]);
  worker.process = reply.process;
  worker.incarnation = reply.process_incarnation;
  return worker;
}

void make_pool(const shm::SegmentView& view, const shm::LockContext& context, uint32_t number,
               const std::vector<Worker>& workers) {
  shm::PoolRequest request;
  request.max_size = 16;
  uint32_t index = 0;
  {
    shm::TableLock lock(view, context, shm::kLockPatienceNs);
    const auto made = shm::find_or_make_pool(lock, "stress " + std::to_string(number), request,
                                             shm::monotonic_ns(), &index);
    if (!lock.held() || made != shm::PoolResult::kOk) fail("no pool");
    for (uint32_t i = 0; i < 5; ++i) {
      uint32_t seat = 0;
      const auto& worker = workers[(number * 5 + i) % workers.size()];
      if (shm::take_seat(lock, index, worker.lane, &seat) != shm::PoolResult::kOk) fail("no seat");
    }
  }
  shm::PoolRecord& pool = *view.pool(index);
  {
    shm::PoolLock lock(view, pool, context, shm::kLockPatienceNs);
    shm::settle_cap(lock);
  }
  for (uint32_t i = 0; i < 4; ++i) {
    const auto lane = workers[(number * 5 + i) % workers.size()].lane;
    const auto reserved = shm::SlotWord::make(shm::SlotState::kReserved, lane);
    uint32_t slot_index = 0;
    shm::SlotRecord* slot = shm::take_free(view, pool, reserved, &slot_index);
    if (slot == nullptr) fail("no slot");
    slot->changed_ns.store(shm::coarse_ns());
    shm::slot_move(*slot, reserved, shm::SlotWord::make(shm::SlotState::kIdle, lane));
  }
}

std::string daemon_pid(const std::string& directory) {
  std::string pid;
  std::ifstream(directory + "/daemon.lock") >> pid;
  if (pid.empty()) fail("no daemon in " + directory);
  return pid;
}

// Of all threads, from the scheduler itself.
uint64_t processor_ns(const std::string& pid) {
  uint64_t ns = 0;
  std::ifstream("/proc/" + pid + "/schedstat") >> ns;
  return ns;
}

std::string memory_lines(const std::string& pid) {
  std::ifstream status("/proc/" + pid + "/status");
  std::string text;
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS", 0) == 0 || line.rfind("Rss", 0) == 0) text += "  " + line + "\n";
  }
  return text;
}

uint32_t number_or(int argc, char** argv, int index, uint32_t otherwise) {
  return argc > index ? static_cast<uint32_t>(std::strtoul(argv[index], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) fail("usage: oxpoold_attachments DIR [WORKERS] [POOLS] [SECONDS]");
  const std::string directory = argv[1];
  const uint32_t count = number_or(argc, argv, 2, 1000);
  const uint32_t pools = number_or(argc, argv, 3, 200);
  const uint32_t seconds = number_or(argc, argv, 4, 20);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const std::string pid = daemon_pid(directory);

  UniqueFd segment_fd;
  std::vector<Worker> workers;
  const int64_t began_ns = shm::monotonic_ns();
  for (uint32_t i = 0; i < count; ++i) workers.push_back(attach(directory, &segment_fd));
  const double attach_us = static_cast<double>(shm::monotonic_ns() - began_ns) / 1000.0 / count;

  shm::MappedSegment segment;
  if (shm::Error error = shm::MappedSegment::map(segment_fd.get(), "segment", &segment)) {
    fail(error.message);
  }
  for (Worker& worker : workers) {
    worker.lane = shm::open_lane(segment.view(), worker.process, worker.incarnation, 1);
    if (!worker.lane) fail("no lane");
  }
  const shm::Liveness liveness(segment.view(), workers[0].token.get(), workers[0].process,
                               workers[0].incarnation);
  const shm::LockContext context{workers[0].lane, &liveness};
  for (uint32_t i = 0; i < pools; ++i) make_pool(segment.view(), context, i, workers);

  std::printf("%u workers attached, %.0f us each; %u pools\n", count, attach_us, pools);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // what attaching caused is over
  const uint64_t before_ns = processor_ns(pid);
  const int64_t from_ns = shm::monotonic_ns();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const double share = 100.0 * static_cast<double>(processor_ns(pid) - before_ns) /
                       static_cast<double>(shm::monotonic_ns() - from_ns);
  std::printf("daemon, nothing happening for %u s: %.3f %% of a core\n%s", seconds, share,
              memory_lines(pid).c_str());
  return 0;
}
