// A server on client.sock that does whatever the test says with its first connection.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "proto/handshake.h"
#include "tests/unit/temporary_directory.h"

namespace oxpool::test {

class ScriptedListener {
 public:
  // `script` runs in a thread of its own with the accepted connection, which is closed after it.
  explicit ScriptedListener(std::function<void(int)> script);
  ~ScriptedListener();

  const std::string& runtime_dir() const { return directory_.path(); }
  std::string socket_path() const { return directory_.file("client.sock"); }

 private:
  TemporaryDirectory directory_;
  int listener_ = -1;
  std::thread thread_;
};

// What a script is made of.
proto::Hello read_hello(int connection);
// Waits until the other side has gone.
void wait_for_end(int connection);
// Sends `bytes` bytes of the reply, with these descriptors.
void send_reply(int connection, const proto::Reply& reply, const std::vector<int>& descriptors = {},
                size_t bytes = sizeof(proto::Reply));
// A reply that this client accepts.
proto::Reply good_reply();

}  // namespace oxpool::test
