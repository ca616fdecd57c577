// One connection on client.sock.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "daemon/admission.h"
#include "daemon/namespace_segment.h"
#include "daemon/peer.h"

namespace oxpool::daemon {

class SessionServer;

// Reads one hello before a deadline, answers it, and then waits for the end. What a worker still
// says are bytes without a meaning of their own: each asks for a look at its namespace (waker.h).
// One that is attached costs a descriptor and a few hundred bytes.
//
// Owned by its pending reads; the server counts it. Thread safety: none; the loop's thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;

  Session(SessionServer& server, Socket socket, Peer peer);
  ~Session();

  void start();
  // The server is stopping, and is not used any more: a worker that has not been answered is told
  // so.
  void stop();

  uid_t uid() const { return peer_.uid; }

 private:
  struct Greeting;  // what only the handshake needs

  void read_head();
  void read_rest();
  void answer();
  bool send(const proto::Reply& reply, int segment_fd, int token_fd);
  void refuse(const proto::Reply& reply);
  void wait_for_end();
  void end(const char* why);

  SessionServer* server_;  // nullptr after stop()
  Socket socket_;
  Peer peer_;
  std::unique_ptr<Greeting> greeting_;  // until the answer
  std::optional<ProcessRef> process_;   // after it
  char asking_[64];                     // bytes that ask for a look
};

}  // namespace oxpool::daemon
