// Listens on client.sock and keeps the sessions.
#pragma once

#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "daemon/admission.h"
#include "daemon/burst_limit.h"
#include "daemon/config.h"
#include "daemon/reaper.h"
#include "daemon/repeat_limit.h"
#include "daemon/session.h"
#include "daemon/waker.h"

namespace oxpool::daemon {

// Invariant: every session is either within its uid's limit, or one of a few beyond it that are
// only told so.
//
// Thread safety: none; the thread that runs the io_context.
class SessionServer {
 public:
  // All must outlive the server and its sessions; `config` may change in place.
  SessionServer(boost::asio::io_context& io, const Config& config, Admission& admission,
                Reaper& reaper, Waker& waker);
  ~SessionServer();

  // Opens client.sock with the configured permissions; one that is there is replaced, since the
  // directory is claimed. Throws Refused.
  void listen(const std::string& path);

  // Closes and removes the socket, and ends all sessions. Workers go on without.
  void stop();

  // Whether the socket's path still leads here.
  bool reachable() const;

  size_t sessions() const { return sessions_.size(); }

  // For sessions.
  const Config& config() const { return config_; }
  Admission& admission() { return admission_; }
  void add(Session* session);
  void remove(Session* session);
  uint32_t sessions_of(uid_t uid) const;
  // Whether a session on this descriptor would leave too few for the daemon's own needs.
  bool short_of_descriptors(int socket) const;
  void attached(const ProcessRef& ref, const proto::Hello& hello, const Peer& peer, int socket);
  void refused(const proto::Reply& reply, const Peer& peer);
  void ended(const ProcessRef& ref, int socket) {
    waker_.ended(ref, socket);
    reaper_.alarm(ref);
  }
  Waker& waker() { return waker_; }

 private:
  using Protocol = boost::asio::local::stream_protocol;

  void accept();
  void accept_later(const std::string& reason);
  void begin(Protocol::socket socket);

  boost::asio::io_context& io_;
  const Config& config_;
  Admission& admission_;
  Reaper& reaper_;
  Waker& waker_;
  Protocol::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::string path_;
  ino_t inode_ = 0;  // of path_
  rlim_t descriptor_limit_ = RLIM_INFINITY;
  std::unordered_set<Session*> sessions_;
  std::unordered_map<uid_t, uint32_t> sessions_of_uid_;
  RepeatLimit repeats_;
  BurstLimit arrivals_;
  BurstLimit returns_;
};

}  // namespace oxpool::daemon
