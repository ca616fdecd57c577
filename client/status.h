// How a call to the client library can end.
#pragma once

#include <string>
#include <utility>

namespace oxpool {

enum class Status {
  kOk = 0,
  kTimeout,      // the deadline passed while every unit was taken
  kSaturated,    // a call that does not wait found every unit taken
  kDeadlock,     // every unit is held by the calling thread, which would wait for itself
  kClosed,       // the pool takes no acquires at the moment
  kCapacity,     // no room in the segment: pools, slots, seats, lanes, tickets
  kFenced,       // this life was buried or the segment is another one: attach anew
  kForked,       // the caller is a forked child; what it inherited is its parent's
  kUnreachable,  // nobody answers at the daemon's socket
  kUnavailable,  // the daemon, its socket or a lock can not be had at the moment
  kRefused,      // the daemon does not let this user in
  kAbi,          // the daemon or the segment has another layout version
  kCorrupted,    // a mutex whose holder died: to be reset or replaced
  kRemoved,      // the mutex's name was removed: this handle is of no use any more
  kTooLarge,     // a value above the segment's limit
  kWrongType,    // the name is a pool's where a mutex is wanted, or the other way round
  kInterrupted,  // a wait that was ended by its own caller
  kProtocol,     // the other side does not speak the handshake
};

// A status and, when it is not kOk, one sentence that names the thing, the value and the way out.
// Truthy when something went wrong.
struct [[nodiscard]] Error {
  Status status = Status::kOk;
  std::string message;

  static Error ok() { return {}; }
  static Error make(Status status, std::string message) { return {status, std::move(message)}; }
  explicit operator bool() const { return status != Status::kOk; }
};

}  // namespace oxpool
