// The records exchanged on client.sock: the client says hello once, the daemon answers once. After
// that the connection tells each side that the other is there, and carries single bytes whose
// values mean nothing:
// from the client, that it has flagged a slot of somebody who sleeps (LaneRecord::sleep), and asks
// the daemon to look for such lanes of its namespace; from the daemon, that a lane of this process
// was flagged, and is to look at its attention word.
// Any number of bytes is as good as one, and either side may leave them unread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oxpool::proto {

inline constexpr uint32_t kHelloMagic = 0x4f58504c;  // "LPXO": an oxpool client
inline constexpr uint32_t kReplyMagic = 0x4f585044;  // "DPXO": an oxpool daemon
inline constexpr uint32_t kNamespaceBytes = 64;      // with its NUL
inline constexpr uint32_t kProgramBytes = 32;        // with its NUL
inline constexpr uint32_t kMessageBytes = 512;       // with its NUL

// Fields of kind `uint32_t abi_*` are the layout's version (shm/layout.h). Everything is in host
// order: both ends are on one machine. The first three fields of both records never change, so that
// neighbouring versions can refuse each other in words.
enum class HelloKind : uint32_t {
  kAttach = 1,  // wants a process record, a token and the segment
  kResume = 2,  // has them already; the daemon was restarted or dropped the connection
};

inline constexpr char kAskForWakes = 'w';
inline constexpr char kWake = 'W';

struct Hello {
  uint32_t magic;
  uint32_t bytes;  // sizeof(Hello) of the sender
  uint32_t abi_major;
  uint32_t abi_minor;
  HelloKind kind;
  uint32_t process;                      // kResume: its process record
  uint64_t process_incarnation;          // kResume
  uint64_t segment_identity[2];          // kResume
  int64_t monotonic_ns;                  // the client's CLOCK_MONOTONIC at sending
  char namespace_name[kNamespaceBytes];  // empty = the default of the peer's uid
  char program[kProgramBytes];           // for people: "php-fpm", "php", …
};

enum class ReplyStatus : uint32_t {
  kOk = 0,
  kRefused = 1,      // this uid or gid is not allowed; `message` names the configuration key
  kAbi = 2,          // another layout version
  kBadRequest = 3,   // not a hello, or an impossible one
  kNamespace = 4,    // the namespace does not exist or is not open to this uid
  kFull = 5,         // process table, session limit, or no room for the segment
  kReattach = 6,     // kResume of a life that this daemon does not know: attach anew
  kUnavailable = 7,  // the segment is broken, or the daemon is stopping
};

// With kOk on kAttach two descriptors come along (SCM_RIGHTS): the segment, then the token.
struct Reply {
  uint32_t magic;
  uint32_t bytes;  // sizeof(Reply) of the sender
  uint32_t abi_major;
  uint32_t abi_minor;
  ReplyStatus status;
  uint32_t process;
  uint64_t process_incarnation;
  uint64_t segment_identity[2];
  int64_t monotonic_ns;  // the daemon's CLOCK_MONOTONIC at sending
  char namespace_name[kNamespaceBytes];
  char message[kMessageBytes];  // one sentence when status != kOk
};

static_assert(sizeof(Hello) == 152 && offsetof(Hello, abi_major) == 8);
static_assert(sizeof(Reply) == 632 && offsetof(Reply, abi_major) == 8);

}  // namespace oxpool::proto
