// What can come over client.sock from somebody who does not keep to the handshake.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "client/connection.h"
#include "tests/hostile/random.h"

namespace oxpool::test {

// Thread safety: none.
class Strangers {
 public:
  // Hellos that are good ask for a namespace whose name begins with `prefix`.
  Strangers(std::string socket_path, std::string prefix)
      : path_(std::move(socket_path)), prefix_(std::move(prefix)) {}

  // One connection: garbage, a hello that is cut, changed, or followed by more, descriptors that
  // nobody asked for, or a good one that is dropped; some stay open for a while.
  void come(Random& random);
  // A hello that ends after `bytes` of it, from 0 to all of it.
  void drop_after(size_t bytes);
  void go_away() { open_.clear(); }

  uint64_t connections() const { return connections_; }
  // The daemon took none of them within its time.
  uint64_t not_connected() const { return not_connected_; }

 private:
  OwnedFd connect();
  proto::Hello good_hello(Random& random) const;

  const std::string path_;
  const std::string prefix_;
  std::deque<OwnedFd> open_;
  uint64_t connections_ = 0;
  uint64_t not_connected_ = 0;
};

}  // namespace oxpool::test
