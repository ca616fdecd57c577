// What went wrong, as a value: a code for programs and one sentence for people.
#pragma once

#include <string>
#include <utility>

namespace oxpool::shm {

enum class ErrorCode {
  kOk = 0,
  kSystem,       // a system call failed; the sentence has its error text
  kNotASegment,  // wrong magic, wrong size, impossible tables
  kAbi,          // another major version of the layout
  kNoRoom,       // the file system has less room than the segment needs
  kInUse,        // somebody else holds what was asked for
};

// Truthy when something went wrong. `message` names the thing, the value and the way out.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kOk;
  std::string message;

  static Error ok() { return {}; }
  static Error make(ErrorCode code, std::string message) { return {code, std::move(message)}; }
  explicit operator bool() const { return code != ErrorCode::kOk; }
};

}  // namespace oxpool::shm
