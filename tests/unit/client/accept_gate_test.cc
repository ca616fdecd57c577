// Waiting at the accept gate, with a real listening socket.
#include "client/accept_gate.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <thread>

#include "shm/gated.h"
#include "tests/unit/segment_host.h"
#include "tests/unit/wait_until.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

shm::PoolRequest gated_pool() {
  shm::PoolRequest request = pool_of(1);
  request.persistent = true;
  request.accept_gate = true;
  return request;
}

class AcceptGate : public ::testing::Test {
 protected:
  AcceptGate()
      : server_(few()),
        daemon_(server_.view(), server_.lock_path(), shm::kDaemonProcess),
        holder_(server_.runtime_dir()),
        pool_(holder_.open("p", gated_pool())) {
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address_.sun_family = AF_UNIX;
    std::strcpy(address_.sun_path, directory_.file("listen").c_str());
    EXPECT_EQ(0, bind(listener_, reinterpret_cast<sockaddr*>(&address_), sizeof address_));
    EXPECT_EQ(0, listen(listener_, 8));
  }
  ~AcceptGate() override {
    if (visitor_ >= 0) close(visitor_);
    if (listener_ >= 0) close(listener_);
  }

  // Somebody waits to be accepted.
  void visit() {
    visitor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, connect(visitor_, reinterpret_cast<sockaddr*>(&address_), sizeof address_));
  }

  // The gate as another worker finds it, in a thread of its own.
  template <typename Meanwhile>
  GateEnd gate(Meanwhile meanwhile) {
    GateEnd end{};
    const ListenSocket socket = listen_socket();
    std::thread thread([&] {
      Worker worker(server_.runtime_dir());
      const auto pool = worker.open("p", gated_pool());
      end = wait_at_gate(*pool, socket);
    });
    meanwhile();
    thread.join();
    EXPECT_EQ(0u, pool_->record().gated);
    EXPECT_EQ(0u, shm::count_gated(holder_.lane().view(), pool_->record()));
    return end;
  }
  bool somebody_is_gated() {
    return wait_until([&] {
      return pool_->record().gated == 1 &&
             shm::count_gated(holder_.lane().view(), pool_->record()) == 1;
    });
  }
  // The test's daemon listens, too, so find() is not for here.
  ListenSocket listen_socket() { return ListenSocket::of(listener_); }

  HandshakeServer server_;
  AttachedLane daemon_;
  TemporaryDirectory directory_;
  Worker holder_;
  std::unique_ptr<Pool> pool_;
  sockaddr_un address_{};
  int listener_ = -1;
  int visitor_ = -1;
};

// Accepted a moment ago, or kept for the next request: it is this process that its visitor waits
// for.
TEST_F(AcceptGate, IsPassedByWhoHasAVisitor) {
  LocalSlot& slot = take(*pool_);
  visit();
  const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  ASSERT_GE(accepted, 0);
  EXPECT_TRUE(listen_socket().has_visitor());
  EXPECT_EQ(GateEnd::kHasVisitor, gate([] {}));
  close(accepted);
  EXPECT_FALSE(listen_socket().has_visitor()) << "the other end is somebody else's";
  give_back(*pool_, slot);
}

TEST(ListenSocketOfTcp, KnowsItsVisitorsByThePort) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  ASSERT_EQ(0, bind(listener, reinterpret_cast<sockaddr*>(&address), bytes));
  ASSERT_EQ(0, listen(listener, 1));
  ASSERT_EQ(0, getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes));
  const int visitor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(0, connect(visitor, reinterpret_cast<sockaddr*>(&address), bytes));
  EXPECT_FALSE(ListenSocket::of(listener).has_visitor());
  const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  EXPECT_TRUE(ListenSocket::of(listener).has_visitor());
  for (const int fd : {accepted, visitor, listener}) close(fd);
}

TEST_F(AcceptGate, IsPassedWhileAUnitIsFree) {
  EXPECT_EQ(GateEnd::kNotGated, gate([] {}));
}

TEST_F(AcceptGate, IsPassedByWhoHasAnIdleSlot) {
  LocalSlot& slot = take(*pool_);
  give_back(*pool_, slot);
  EXPECT_EQ(GateEnd::kNotGated, wait_at_gate(*pool_, listen_socket()));
}

TEST_F(AcceptGate, OpensWhenAUnitComesFree) {
  LocalSlot& slot = take(*pool_);
  EXPECT_EQ(GateEnd::kUnitFree, gate([&] {
              EXPECT_TRUE(somebody_is_gated());
              EXPECT_TRUE(pool_->begin_close(slot, shm::CloseReason::kDiscard));
              pool_->finish_close(slot);
            }));
  EXPECT_EQ(1u, pool_->record().gate_turn);
}

TEST_F(AcceptGate, OpensWhenRequestsWaitAndNothingMoves) {
  LocalSlot& slot = take(*pool_);
  EXPECT_EQ(GateEnd::kNothingMoved, gate([&] {
              EXPECT_TRUE(somebody_is_gated());
              visit();
            }));
  give_back(*pool_, slot);
}

TEST_F(AcceptGate, StaysShutWhileRequestsEnd) {
  LocalSlot& slot = take(*pool_);
  visit();
  bool was_there = true;
  EXPECT_EQ(GateEnd::kUnitFree, gate([&] {
              EXPECT_TRUE(somebody_is_gated());
              const int64_t until_ns = shm::monotonic_ns() + 500 * kMilli;
              while (shm::monotonic_ns() < until_ns) {
                pool_->request_ended();
                was_there = was_there && pool_->record().gated == 1;
                usleep(1000);
              }
              EXPECT_TRUE(pool_->begin_close(slot, shm::CloseReason::kDiscard));
              pool_->finish_close(slot);
            }));
  EXPECT_TRUE(was_there);
}

TEST_F(AcceptGate, OpensWhenTheListenSocketIsClosed) {
  LocalSlot& slot = take(*pool_);
  EXPECT_EQ(GateEnd::kToldToStop, gate([&] {
              EXPECT_TRUE(somebody_is_gated());
              close(std::exchange(listener_, -1));
            }));
  give_back(*pool_, slot);
}

TEST_F(AcceptGate, OpensWhenThePoolIsPaused) {
  LocalSlot& slot = take(*pool_);
  EXPECT_EQ(GateEnd::kClosed, gate([&] {
              EXPECT_TRUE(somebody_is_gated());
              shm::set_gate(holder_.lane().view(), pool_->record(), holder_.lane().lock_context(),
                            shm::Gate::kWait, 0);
            }));
  shm::set_gate(holder_.lane().view(), pool_->record(), holder_.lane().lock_context(),
                shm::Gate::kOpen, 0);
  give_back(*pool_, slot);
}

TEST_F(AcceptGate, IsNotThereWithoutADaemon) {
  LocalSlot& slot = take(*pool_);
  daemon_.die();
  EXPECT_EQ(GateEnd::kNoDaemon, gate([] {}));
  give_back(*pool_, slot);
}

TEST_F(AcceptGate, IsNotThereWithoutAListenSocket) {
  LocalSlot& slot = take(*pool_);
  Worker worker(server_.runtime_dir());
  const auto pool = worker.open("p", gated_pool());
  EXPECT_EQ(GateEnd::kNotGated, wait_at_gate(*pool, ListenSocket()));
  give_back(*pool_, slot);
}

// Who died at the gate left the count behind, and its mark with its lane's life.
TEST_F(AcceptGate, TheCountOfTheDeadIsTakenBackAtTheSecondLook) {
  {
    Worker dies(server_.runtime_dir());
    shm::come_to_gate(dies.lane().record(), holder_.lane().view(), pool_->record());
  }
  EXPECT_EQ(1u, pool_->record().gated);
  uint64_t seen = 0;
  shm::recount_gated(holder_.lane().view(), pool_->record(), &seen);
  EXPECT_EQ(1u, pool_->record().gated) << "somebody may be between its two steps";
  shm::recount_gated(holder_.lane().view(), pool_->record(), &seen);
  EXPECT_EQ(0u, pool_->record().gated);
}

}  // namespace
}  // namespace oxpool::test
