// Decides about hellos: who is attached, who goes on, who is sent away and why.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.h"
#include "daemon/handshake_reply.h"
#include "daemon/peer.h"
#include "daemon/segment_store.h"
#include "daemon/unique_fd.h"
#include "proto/handshake.h"

namespace oxpool::daemon {

// The part of a hello that is the same in every version.
struct HelloHead {
  uint32_t magic;
  uint32_t bytes;
  uint32_t abi_major;
};

struct Answer {
  proto::Reply reply{};
  std::optional<ProcessRef> process;  // set when the worker is attached, or goes on
  // Of kAttach only. The token is this daemon's last copy; the segment stays the store's.
  UniqueFd token;
  int segment_fd = -1;
};

// Thread safety: none; the daemon's main thread.
class Admission {
 public:
  // Both must outlive this; `config` may change in place.
  Admission(const Config& config, SegmentStore& segments) : config_(config), segments_(segments) {}

  // `gid` is the group of client.sock, whose members are admitted by default.
  void set_socket_group(gid_t gid) { socket_gid_ = gid; }

  // A refusal, when the beginning alone calls for one.
  std::optional<proto::Reply> refuse_head(const HelloHead& head) const;

  // `sessions_of_uid`: how many sessions the peer's uid has, this one included.
  Answer answer(const proto::Hello& hello, const Peer& peer, uint32_t sessions_of_uid,
                int64_t now_ns);

  // The name of the namespace that the worker is in.
  std::string namespace_of(const ProcessRef& process) const;

 private:
  Answer attach(const std::string& name, const proto::Hello& hello, const Peer& peer,
                int64_t now_ns);
  Answer resume(const std::string& name, const proto::Hello& hello, const Peer& peer);

  const Config& config_;
  SegmentStore& segments_;
  gid_t socket_gid_ = getegid();
};

}  // namespace oxpool::daemon
